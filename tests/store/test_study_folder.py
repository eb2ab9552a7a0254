"""Finding the study."""

from pathlib import Path

import pytest

from annotator.model.failures import UserMistake
from annotator.store import study_folder
from annotator.store.study_folder import find_study, shipped_study


def test_a_named_study_is_the_folder_or_the_folder_around_it(study):
    for named in (study.folder, study.folder.parent):
        assert find_study(named) == (study.folder, "given")


def test_a_named_folder_without_a_study_is_the_users_mistake(tmp_path):
    with pytest.raises(UserMistake, match="holds no study") as caught:
        find_study(tmp_path)
    assert "annot init" in caught.value.hint
    with pytest.raises(UserMistake, match="holds no study"):
        find_study(tmp_path / "none")


@pytest.mark.parametrize("below", [".", "deep/er", "anchors", "anchors/route"])
def test_the_study_is_found_from_below(study, below):
    start = study.folder.parent / below
    start.mkdir(parents=True, exist_ok=True)
    assert find_study(start=start) == (study.folder, "found")


def test_the_working_folder_is_where_the_search_begins(study):
    assert find_study() == (study.folder, "found")


def test_elsewhere_it_is_the_checkouts_own_study(tmp_path):
    found = find_study(start=tmp_path)
    assert found.origin == "shipped"
    assert found.path == Path(study_folder.__file__).parents[2] / "anchors"


def test_an_installed_package_brings_its_study(study, tmp_path):
    package = tmp_path / "site-packages" / "annotator"
    (package / "_study").mkdir(parents=True)
    study.folder.rename(package / "_study" / "anchors")
    assert shipped_study(package) == package / "_study" / "anchors"


def test_without_any_study_the_user_is_told_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(study_folder, "shipped_study", lambda _: None)
    with pytest.raises(UserMistake, match="there is no study here") as caught:
        find_study(start=tmp_path)
    assert "--study" in caught.value.hint
