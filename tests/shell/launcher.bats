#!/usr/bin/env bats
# bin/adlc under one shell: where it finds itself, which Python it takes, what it leaves behind.

# shellcheck disable=SC2154  # shell, adlc, sandbox and checkout come from the helpers
load helpers/launcher

setup() {
  setup_sandbox
}

# --- where it is

@test "where prints absolute paths" {
  run clean "${adlc[@]}" where root
  exits 0; is "$checkout"
  run clean "${adlc[@]}" where tools
  exits 0; is "$checkout/tools"
  run clean "${adlc[@]}" where partials
  exits 0; is "$checkout/partials"
}

@test "where python prints the interpreter's real path, before and after there is an environment" {
  offer_python
  run clean "${adlc[@]}" where python
  exits 0; is "$ADLC_TEST_PYTHON"
  run warm "${adlc[@]}" where python
  exits 0; is "$ADLC_TEST_PYTHON"
}

@test "a wrong where is one line of usage" {
  for arguments in "" "nowhere" "root tools" "-h"; do
    read -ra words <<<"$arguments"
    run clean "${adlc[@]}" where "${words[@]}"
    exits 2; one_line; has "usage: adlc where"
  done
}

@test "found through links: absolute, relative, chained, and a linked directory" {
  mkdir -p far/away
  ln -s "$checkout/bin/adlc" absolute
  ln -s ../../absolute far/away/relative
  ln -s far/away/relative chained
  ln -s "$checkout/bin" linked-directory
  ln -s "$checkout/bin" far/bin
  for path in ./absolute far/away/relative chained linked-directory/adlc far/bin/adlc "$PWD/far/../chained"; do
    run clean "${shell[@]}" "$path" where root
    exits 0; is "$checkout"
  done
}

@test "found by a relative path from inside the checkout" {
  cd "$checkout/bin"
  run clean "${shell[@]}" adlc where root
  exits 0; is "$checkout"
  run clean "${shell[@]}" ../bin/./adlc where root
  exits 0; is "$checkout"
}

@test "spaces, quotes and non-ASCII in the path" {
  place="$sandbox/Ü mläut \$x 'quoted' * [a]/adlc copy"
  mkdir -p "$place"
  cp -R "$checkout/bin" "$checkout/tools" "$place/"
  run clean "${shell[@]}" "$place/bin/adlc" where tools
  exits 0; is "$place/tools"
  run warm "${shell[@]}" "$place/bin/adlc" --version
  exits 0; has "adlc "
}

@test "a copy outside a checkout says so" {
  cp "$checkout/bin/adlc" stray
  run clean "${shell[@]}" ./stray where root
  exits 3; one_line; has "not inside an adlc checkout"
}

# --- hostile surroundings

@test "CDPATH, IFS and GREP_OPTIONS change nothing" {
  mkdir -p "elsewhere$checkout/bin"
  run warm CDPATH="$PWD/elsewhere:.:/" IFS=/ltro GREP_OPTIONS=--color=always \
    "${adlc[@]}" where tools
  exits 0; is "$checkout/tools"
  run warm CDPATH="$PWD/elsewhere" IFS=/ltro "${adlc[@]}" --version
  exits 0; has "adlc "
}

# Not onecmd: with it, bash leaves after the first line of any script, which is the shebang.
@test "exported SHELLOPTS change nothing" {
  offer_python
  for option in errexit nounset noglob noclobber allexport keyword physical posix pipefail; do
    run clean SHELLOPTS="$option" "${adlc[@]}" where root
    exits 0; is "$checkout"
    run warm SHELLOPTS="$option" "${adlc[@]}" --version
    exits 0; has "adlc "
    run clean SHELLOPTS="$option" "${adlc[@]}" where python
    exits 0; is "$ADLC_TEST_PYTHON"
  done
}

@test "aliases and functions called cd, read and printf change nothing" {
  printf '%s\n' 'shopt -s expand_aliases 2>/dev/null' 'alias cd="echo alias" exec="echo alias"' >"$sandbox/home/.zshenv"
  run clean BASH_ENV="$sandbox/home/.zshenv" ENV="$sandbox/home/.zshenv" 'BASH_FUNC_cd%%=() { echo function; }' \
    "${adlc[@]}" where root
  exits 0; is "$checkout"
}

@test "an empty environment and a foreign directory are enough" {
  run env -i "$(command -v "${shell[0]}")" "${shell[@]:1}" "$checkout/bin/adlc" where root
  exits 0; is "$checkout"
  run env -i ADLC_DATA_DIR="$ADLC_TEST_DATA" "$(command -v "${shell[0]}")" "${shell[@]:1}" "$checkout/bin/adlc" --version
  exits 0; has "adlc "
}

@test "no program in the current directory is run" {
  mkdir bin
  for name in python3.14 python3 python readlink id timeout uname; do
    printf '#!/bin/sh\necho ran >>"%s/ran"\n' "$sandbox" >"$name"
    chmod 755 "$name"
    cp "$name" bin/
  done
  ln -s "$checkout/bin/adlc" link
  for path in ".:$sandbox/tools" "bin:$sandbox/tools" ":$sandbox/tools" "$sandbox/tools:" "$sandbox/tools::bin" "./bin:.."; do
    offer_python
    run clean PATH="$path" "${shell[@]/#*/$(command -v "${shell[0]}")}" "$PWD/link" where python
    rm "$sandbox/tools/python3"
    [ ! -e "$sandbox/ran" ]
  done
}

@test "without HOME the password database tells" {
  offer id <<<'#!/bin/sh
echo nosuchuser'
  run clean HOME= "${adlc[@]}" list
  exits 3; one_line; has "no home directory"
  offer id <<<'#!/bin/sh
echo "root;:>injected"'
  run clean HOME=relative "${adlc[@]}" list
  exits 3; one_line; has "no home directory"
  [ ! -e injected ]
}

@test "a directory variable that is not absolute: XDG is ignored, ours is refused" {
  offer_python
  run clean XDG_DATA_HOME=data XDG_CACHE_HOME=cache "${adlc[@]}" where python
  exits 0
  [ ! -e data ]
  ln -s "$ADLC_TEST_DATA" data
  run clean ADLC_DATA_DIR=data "${adlc[@]}" --version
  exits 2; one_line; has "ADLC_DATA_DIR must be an absolute path"
}

# --- which Python

@test "stubs are passed over: failing, silent, garbage, a lie, a directory, not executable" {
  offer python3.14 <<<'#!/bin/sh
exit 49'
  offer python3.13 <<<'#!/bin/sh
exit 0'
  offer python3.12 <<<'#!/bin/sh
echo "Python was not found; install it from the store"'
  offer python3.11 <<<'#!/bin/sh
echo python=/nonexistent/python'
  mkdir "$sandbox/first" "$sandbox/first/python3"
  printf '#!/bin/sh\necho "%s"\n' "$sandbox/tools/id" >"$sandbox/first/python3.12"
  chmod 755 "$sandbox/first/python3.12"
  : >"$sandbox/tools/python"
  mkdir "$sandbox/last"
  ln -s "$ADLC_TEST_PYTHON" "$sandbox/last/python3"
  run clean PATH="$sandbox/first:$sandbox/tools:$sandbox/last" "${adlc[@]}" where python
  exits 0; is "$ADLC_TEST_PYTHON"
}

@test "no Python at all is one line that names what to install" {
  run clean "${adlc[@]}" list
  exits 3; one_line; has "needs Python 3.11 or newer: install"
}

@test "ADLC_PYTHON is used, or refused when it does not run" {
  offer mine <<EOF
#!/bin/sh
exec "$ADLC_TEST_PYTHON" "\$@"
EOF
  run clean ADLC_PYTHON="$sandbox/tools/mine" "${adlc[@]}" where python
  exits 0; is "$ADLC_TEST_PYTHON"
  offer_python
  for wrong in /nonexistent "$sandbox" /dev/null; do
    run warm ADLC_PYTHON="$wrong" "${adlc[@]}" list
    exits 3; one_line; has "ADLC_PYTHON=$wrong does not run"
  done
}

@test "uv's Python is taken when PATH offers none" {
  offer uv <<EOF
#!/bin/sh
case "\$*" in *"python find"*) echo "$ADLC_TEST_PYTHON" ;; *) exit 1 ;; esac
EOF
  run clean "${adlc[@]}" where python
  exits 0; is "$ADLC_TEST_PYTHON"
}

# --- the environment

@test "the first call makes the environment with one line, the next ones are silent" {
  make_corpus
  offer_python
  run clean "${adlc[@]}" list --json
  exits 0; has "adlc: making its environment once (PyYAML"
  [ "$(grep -c '^adlc:' <<<"$output")" -eq 1 ]
  run clean "${adlc[@]}" list --json
  exits 0
  [[ $output != *adlc:* ]]
}

@test "offline: one line, exit 3, nothing half-made" {
  offer_python
  run clean PIP_NO_INDEX= PIP_FIND_LINKS= PIP_INDEX_URL=http://127.0.0.1:9/ PIP_RETRIES=0 \
    "${adlc[@]}" list
  exits 3; one_line; has "no network"; has "connect once and run adlc again"
  [ -z "$(find "$sandbox/home" -type f)" ]
  [ -z "$(ls -A "$sandbox/home/.local/share/adlc/env")" ]
}

@test "help and version need no environment, a hook never makes one" {
  offer_python
  for argument in --help --version; do
    run clean "${adlc[@]}" "$argument"
    exits 0; [ -n "$output" ]
  done
  run clean "${adlc[@]}" hook spec-pointer
  exits 0; is ""
  [ -z "$(find "$sandbox/home" -mindepth 1)" ]
}

@test "an interpreter that is gone is replaced, and the packages are kept" {
  make_corpus
  offer_python
  cp -R "$ADLC_TEST_DATA" "$sandbox/data"
  record=$(echo "$sandbox"/data/env/core-*/ready)
  kind=$(sed -n 2p "$record")
  for gone in /nonexistent/python3 "$sandbox" ""; do
    printf '%s\n%s\n' "$gone" "$kind" >"$record"
    run clean ADLC_DATA_DIR="$sandbox/data" PIP_FIND_LINKS= "${adlc[@]}" list --json
    exits 0
    [[ $output != *adlc:* ]]
    [ "$(sed -n 1p "$record")" = "$ADLC_TEST_PYTHON" ]
  done
}

@test "a record that is cut short or empty, or whose packages are gone, is made again" {
  make_corpus
  offer_python
  cp -R "$ADLC_TEST_DATA" "$sandbox/data"
  record=$(echo "$sandbox"/data/env/core-*/ready)
  kind=$(sed -n 2p "$record")
  for content in "" "$ADLC_TEST_PYTHON"; do
    printf '%s' "$content" >"$record"
    run clean ADLC_DATA_DIR="$sandbox/data" "${adlc[@]}" list --json
    exits 0
    [ "$(wc -l <"$record")" -eq 2 ]
  done
  rm -r "${record%/*}/${kind:?}"
  run clean ADLC_DATA_DIR="$sandbox/data" "${adlc[@]}" list --json
  exits 0; has "making its environment"
  [ -d "${record%/*}/$kind/yaml" ]
}

@test "arguments arrive as they were given" {
  place=$sandbox/checkout
  mkdir -p "$place/tools/adlc"
  cp -R "$checkout/bin" "$place/"
  printf 'import sys; print(sys.argv[1:])\n' >"$place/tools/adlc/__main__.py"
  # shellcheck disable=SC2016  # nothing is to be expanded
  run warm IFS=x "${shell[@]}" "$place/bin/adlc" search "two  words" '' '*' '$HOME' '-n' 'a=b' -- 'é'
  exits 0
  is "['search', 'two  words', '', '*', '\$HOME', '-n', 'a=b', '--', 'é']"
}
