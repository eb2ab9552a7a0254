"""Which addresses are cloned from, and how addresses are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.model.failures import UserMistake
from annotator.upstream.addresses import check_clone_address, without_password


@pytest.mark.parametrize(
    "address",
    [
        "https://host.example/team/project.git",
        "https://host.example:8443/~me/p",
        "ssh://git@host.example/team/project",
        "git@host.example:team/project.git",
        "file:///srv/git/project.git",
        "/srv/git/project.git",
        "/srv/git/with space",
    ],
)
def test_addresses_that_are_cloned_from(address: str) -> None:
    assert check_clone_address(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ext::sh -c touch% /tmp/x",
        "fd::17/x",
        "--upload-pack=touch x",
        "-oProxyCommand=x",
        "ssh://-oProxyCommand=x/y",
        "-git@host:path",
        "git@-host:path",
        "http://host.example/plain-text",
        "git://host.example/plain-text",
        "ftp://host.example/x",
        "relative/path",
        "file://relative",
        "https://host.example/a\nb",
        "https:///no-host",
        "https://[broken",
        "/srv/new\nline",
    ],
)
def test_addresses_that_are_refused(address: str) -> None:
    with pytest.raises(UserMistake, match="does not clone"):
        check_clone_address(address)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:secret@host:8080/simple/", "https://host:8080/simple/"),
        ("https://token@host/x?a=b", "https://host/x?a=b"),
        ("https://host/simple/", "https://host/simple/"),
        ("git@host:team/x", "git@host:team/x"),
        ("/srv/git", "/srv/git"),
        ("https://[broken", "https://[broken"),
    ],
)
def test_passwords_are_not_shown(address: str, shown: str) -> None:
    assert without_password(address) == shown


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_a_mistake(text: str) -> None:
    try:
        address = check_clone_address(text)
    except UserMistake:
        return
    assert not address.startswith("-")
    assert "\n" not in address
