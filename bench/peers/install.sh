#!/bin/sh
# Installs what `npm run bench -- --peers` compares with, beside this file.
set -eu
cd "$(dirname "$0")"
exec npm ci --ignore-scripts --no-audit --no-fund
