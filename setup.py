"""Build of what pyproject.toml cannot state: the README as package indexes show it, and links to the repository.

The repository's address is known where a release is built: `FAJIN_REPOSITORY=https://…/fajin python -m build`.
"""

import os
import re
from pathlib import Path
from posixpath import normpath

ROOT = Path(__file__).parent
REPOSITORY = os.environ.get("FAJIN_REPOSITORY", "").rstrip("/")
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")
"""A link or picture of Markdown with a path in the checkout: mark of a picture, text, path."""
CHECKOUT = re.compile(r"pip install '?\.(\[[a-z,]+\])?'?(?= |`|$)", re.MULTILINE)
"""An installation of the checkout, with extras."""


def readme(text: str, repository: str, version: str) -> str:
    """Return the README with links into the repository at a version, and installations of the released package.

    Without a repository links become their text.
    """

    def absolute(link: re.Match) -> str:
        picture, words, path = link.groups()
        if not repository:
            return "" if picture else words
        return f"{picture}[{words}]({repository}/{'raw' if picture else 'blob'}/v{version}/{normpath(path)})"

    text = CHECKOUT.sub(lambda found: f"pip install 'fajin{found[1]}'" if found[1] else "pip install fajin", text)
    return re.sub(r"\n{3,}", "\n\n", LINK.sub(absolute, text))


def urls(repository: str, version: str) -> dict[str, str]:
    """Return the links beside the description; none if the repository is unknown."""
    if not repository:
        return {}
    places = {"Documentation": f"blob/v{version}/docs/index.md", "Changelog": f"blob/v{version}/CHANGELOG.md"}
    links = {name: f"{repository}/{path}" for name, path in places.items()}
    return {"Source": repository, "Issues": f"{repository}/issues", **links}


def main() -> None:
    """Build the distribution."""
    from setuptools import setup  # tests read the functions above in processes that have loaded another distutils

    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.*)"$', settings, re.MULTILINE)[1]
    setup(
        long_description=readme((ROOT / "README.md").read_text(encoding="utf-8"), REPOSITORY, version),
        long_description_content_type="text/markdown",
        project_urls=urls(REPOSITORY, version),
    )


if __name__ == "__main__":
    main()
