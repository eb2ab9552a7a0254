"""The site has a word, in both languages, for everything that a check or a probe can say."""

import pytest

from annotator.model.probe import ProbeStatus, Verdict
from annotator.model.words import ChangeKind, Outcome, Sureness
from annotator.site_pages.hand_written import SECTIONS
from annotator.site_pages.site_folder import LANGUAGES, Language, find_site_folder

KEYS = [
    *(f"outcome_{each}" for each in Outcome),
    *(f"drift_{each}" for each in Outcome if each is not Outcome.OK),
    *(f"change_{each}" for each in ChangeKind),
    *(f"verdict_{each}" for each in (*Verdict, *ProbeStatus)),
    *(f"sure_{each}" for each in Sureness),
    *SECTIONS,
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_has_a_word(language: Language, pytestconfig: pytest.Config) -> None:
    words = find_site_folder(pytestconfig.rootpath).words(language)
    assert [key for key in KEYS if not words.get(key.replace("-", "_"))] == []
