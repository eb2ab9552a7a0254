#!/usr/bin/env bash
# Opens or updates one pull request that accepts every place which only moved.
# The environment gives: STUDY (a folder, may be empty), UPSTREAMS (names, may be empty), COMMIT, BRANCH, TITLE,
# MARKDOWN (a file); gh finds its token and repository there too.
set -euo pipefail

options=(--all-moved --commit "$COMMIT" --by "annot")
[ -z "$STUDY" ] || options+=(--study "$STUDY")
read -ra upstreams <<< "$UPSTREAMS"
for name in ${upstreams[@]+"${upstreams[@]}"}; do options+=(--upstream "$name"); done
annot accept "${options[@]}"

changed="${STUDY:-.}"
git add --all -- "$changed" ":(exclude).annot"
if git diff --cached --quiet; then
  echo "Nothing has only moved."
  exit 0
fi
base=$(git rev-parse --abbrev-ref HEAD)
git switch --quiet --force-create "$BRANCH"
git -c user.name="annot" -c user.email="annot@users.noreply.invalid" commit --quiet --message "$TITLE"
git push --quiet --force origin "HEAD:refs/heads/$BRANCH"
if [ -z "$(gh pr list --head "$BRANCH" --state open --json number --jq '.[].number')" ]; then
  gh pr create --head "$BRANCH" --base "$base" --title "$TITLE" --body-file "$MARKDOWN"
fi
