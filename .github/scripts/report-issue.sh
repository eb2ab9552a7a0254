#!/usr/bin/env bash
# Keeps one issue up to date with what a check found: made when there is drift, edited while there is, closed after.
# The environment gives: MARKER (a name for the issue, letters, digits, hyphens), TITLE, LABEL, EXIT_CODE, MARKDOWN (a
# file), RUN_URL; gh finds its token and repository there too.
set -euo pipefail

[[ "$MARKER" =~ ^[A-Za-z0-9-]+$ ]] || { echo "MARKER may have letters, digits and hyphens" >&2; exit 2; }
marker="<!-- annot: $MARKER -->"
limit=60000 # an issue's text may have 65,536 characters

# Only an issue with our label counts: anybody may write the marker into one of their own, few may label it.
gh label create "$LABEL" --description "Notes that upstream has moved away from" >/dev/null 2>&1 || true
number=$(gh issue list --label "$LABEL" --state open --limit 200 --json number,body | python3 -c '
import json, sys

issues = json.load(sys.stdin)
print(min((i["number"] for i in issues if i["body"].startswith(sys.argv[1])), default=""))' "$marker")

if [ "$EXIT_CODE" = 0 ]; then
  if [ -n "$number" ]; then
    gh issue close "$number" --comment "Nothing to do any more: $RUN_URL"
  fi
  exit 0
fi

body=$(mktemp)
{
  echo "$marker"
  if [ -f "$MARKDOWN" ]; then
    head -c "$limit" "$MARKDOWN" | iconv -c -f UTF-8 -t UTF-8
    if [ "$(wc -c < "$MARKDOWN")" -gt "$limit" ]; then printf '\n\n…\n'; fi
  else
    echo "The check did not come to its end (exit code $EXIT_CODE)."
  fi
  printf '\n\n%s\n' "$RUN_URL"
} > "$body"

if [ -n "$number" ]; then
  gh issue edit "$number" --title "$TITLE" --body-file "$body"
else
  gh issue create --title "$TITLE" --label "$LABEL" --body-file "$body"
fi
rm -f "$body"
