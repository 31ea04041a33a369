#!/bin/sh
# Records which lines of src/shapes.js run by Node's own coverage (shapes.lcov, Node 20.11 or later), and what vitest
# says of them (istanbul.lcov, needs vitest and @vitest/coverage-istanbul 4.1 beside).
cd "$(dirname "$0")" || exit 1
node --test --experimental-test-coverage --test-reporter=lcov node.mjs |
  awk '/^SF:/ { keep = /shapes\.js$/ } keep && /^(SF|DA|end_of_record)/' > shapes.lcov
npx vitest run --coverage --coverage.provider=istanbul --coverage.reporter=lcovonly --coverage.reportsDirectory=out &&
  awk '/^SF:/ { keep = /shapes\.js$/ } keep' out/lcov.info > istanbul.lcov
