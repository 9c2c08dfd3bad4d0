"""Prints `passed failed skipped` of one JUnit report, as pytest writes it."""

import sys
from xml.etree import ElementTree

passed = failed = skipped = 0
for suite in ElementTree.parse(sys.argv[1]).iter("testsuite"):
    bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    omitted = int(suite.get("skipped", 0))
    failed += bad
    skipped += omitted
    passed += int(suite.get("tests", 0)) - bad - omitted
print(passed, failed, skipped)
