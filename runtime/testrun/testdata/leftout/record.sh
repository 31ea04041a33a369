#!/bin/sh
# Records what vitest says of the suite (lcov.info, clover.xml, cobertura-coverage.xml): needs vitest and
# @vitest/coverage-istanbul 4.1.12 beside.
cd "$(dirname "$0")" || exit 1
npx vitest run --coverage --coverage.provider=istanbul --coverage.reporter=lcovonly --coverage.reporter=clover \
  --coverage.reporter=cobertura --coverage.reportsDirectory=recorded
sed -i "s|$PWD|\$DIR|g" recorded/*
