"""The blocks of a Markdown page, in order, with what a comment above them says about running them.

    <!-- setup            Python that runs before what follows and is not shown
    ... -->
    <!-- small: A -> B; C -> D -->      written A, run as B
    <!-- needs: package -->             skipped where the package is not installed
    <!-- shown: why -->                 not run: options are checked, Python is compiled

A block `text` directly after one that ran is what it prints, with `...` for any text.
"""

import re
from dataclasses import dataclass, field

ITEM = re.compile(
    r"^<!-- setup\n(?P<setup>.*?)^-->$|^<!-- (?P<word>small|needs|shown): (?P<what>[^\n]*) -->$"
    r"|^```(?P<language>\w*)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass
class Block:
    language: str
    code: str
    said: dict = field(default_factory=dict)
    prints: str | None = None

    @property
    def as_run(self):
        code = self.code
        for pair in filter(None, self.said.get("small", "").split("; ")):
            before, after = pair.split(" -> ")
            assert before in code, f"no {before!r} in\n{code}"
            code = code.replace(before, after)
        return code


def blocks(text):
    """The blocks of a page, set-up included."""
    found, said, end = [], {}, -1
    for item in ITEM.finditer(text):
        if item["setup"] is not None:
            found.append(Block("setup", item["setup"]))
        elif item["word"]:
            said[item["word"]] = item["what"]
        elif item["language"] == "text":
            if end >= 0 and not text[end : item.start()].strip():
                found[-1].prints = item["code"]
        else:
            found.append(Block(item["language"], item["code"], said))
            said, end = {}, item.end()
    return found
