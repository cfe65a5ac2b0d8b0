# SPDX-License-Identifier: Apache-2.0
"""skipped_tests.py CLOSING_LINES LOG: prints how many tests ctest skipped and why, from ctest's closing lines and its LastTest.log.
The reason is the last line that the test printed."""
import collections
import pathlib
import re
import sys


def reasons(closing, log):
    """{reason: [test, ...]} of the tests that are marked as skipped in the closing lines."""
    found = collections.defaultdict(list)
    for name in re.findall(r"^\s+\d+ - (.*) \(Skipped\)$", closing, re.M):
        block = re.search(r"^\d+/\d+ Test: " + re.escape(name) + r"\n.*?^-{20,}\n(.*?)<end of output>", log, re.M | re.S)
        lines = block.group(1).strip().splitlines() if block else []
        reason = re.sub(r"^\S*\s*(skipped|left out): ", "", lines[-1].strip()) if lines else "no reason was printed"
        found[reason].append(name)
    return found


def main():
    paths = [pathlib.Path(argument) for argument in sys.argv[1:3]]
    if not all(path.exists() for path in paths):
        return
    found = reasons(*(path.read_text(errors="replace") for path in paths))
    if found:
        count = sum(map(len, found.values()))
        print(f"Skipped: {count} test{'' if count == 1 else 's'}")
    for reason, names in found.items():
        print(f"  {len(names)}: {reason} ({', '.join(names[:3])}{' ...' if len(names) > 3 else ''})")


if __name__ == "__main__":
    main()
