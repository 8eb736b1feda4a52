# Named steps with their time, their output kept, and one count at the end. Sourced by tools/test.
#
# step NAME COUNTER COMMAND…   runs the command with its output in a log; COUNTER reads the log and sets cases_passed and
#                              cases_failed (`no_cases` where the step is its own only case); shows the log if it failed
# run_beside COMMAND           begins a function whose output nobody waits for, in a process group of its own
# wait_beside COMMAND          waits for its end, and says for how long
# time_is_over                 whether the minutes that were asked for are over
# finish                       prints `N passed, N failed` and exits with 0 only if nothing failed

passed=0
failed=0
failed_steps=()
left_out=() # what the time was not enough for
is_cut=''   # whether the step at hand was ended for that reason
started=$SECONDS
log_folder=$(mktemp -d)
child=''
declare -A beside_groups=()
trap 'rm -rf "$log_folder"' EXIT
trap 'interrupted' INT TERM

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    good=$'\e[32m' bad=$'\e[31m' plain=$'\e[0m' live=1
else
    good='' bad='' plain='' live=''
fi

# limited MINUTES COMMAND…: for `step` only; ends the command when its time is over. By SIGINT first, so that
# it may clean up.
limited() {
    local seconds=$(($1 * 60)) left
    shift
    if [ -n "${time_limit:-}" ]; then
        left=$((time_limit * 60 - SECONDS + started + 1))
        [ "$left" -ge "$seconds" ] || seconds=$((left > 1 ? left : 1))
    fi
    exec timeout --signal=INT --kill-after=30 "$seconds" "$@"
}

# What has failed before counts; what has not ended says nothing.
time_is_over() { [ -n "${time_limit:-}" ] && [ $((SECONDS - started)) -ge $((time_limit * 60)) ]; }

# A step runs beside the shell, so that an interrupt is heard at once and can end it.
interrupted() {
    [ -z "$child" ] || kill -INT "$child" 2>/dev/null
    local group
    for group in "${beside_groups[@]}"; do kill -- "-$group" 2>/dev/null; done
    echo
    echo "Interrupted; $passed passed, $failed failed so far"
    exit 130
}

run_beside() {
    set -m
    "$1" >"$log_folder/$1.log" 2>&1 </dev/null &
    beside_groups[$1]=$!
    set +m
}

wait_beside() {
    [ -n "${beside_groups[$1]:-}" ] || return 0
    local begin=$SECONDS
    while is_running "${beside_groups[$1]}"; do
        if time_is_over; then
            kill -- "-${beside_groups[$1]}" 2>/dev/null
            break
        fi
        sleep 1
    done
    wait "${beside_groups[$1]}"
    unset "beside_groups[$1]"
    echo "     waited for ${1//_/ } ($((SECONDS - begin)) s)"
}

# What has ended and is not waited for yet is a zombie, Z.
is_running() { [[ "$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null)" == [^Z] ]]; }

step() {
    local name=$1 counter=$2 status=0 begin=$SECONDS detail=''
    shift 2
    step_log="$log_folder/$(printf %s "$name" | tr -c 'A-Za-z0-9' _).log"
    [ -z "$live" ] || printf '     %s …\r' "$name"
    "$@" >"$step_log" 2>&1 </dev/null &
    child=$!
    wait "$child" || status=$?
    child=''
    cases_passed=0 cases_failed=0 is_cut=''
    [ "$status" = 0 ] || ! time_is_over || is_cut=1
    "$counter"
    if [ "$counter" != no_cases ] && [ $((cases_passed + cases_failed)) = 0 ] && [ "$status" = 0 ]; then
        echo "No test ran." >>"$step_log"
        status=1
    fi
    [ "$counter" = no_cases ] || detail=", $cases_passed passed, $cases_failed failed"
    passed=$((passed + cases_passed))
    failed=$((failed + cases_failed))
    if [ "$status" = 0 ] && [ "$cases_failed" = 0 ]; then
        passed=$((passed + 1))
        echo "${good}ok${plain}   $name ($((SECONDS - begin)) s$detail)"
        sed -n 's/^passed only when run again/     &/p' "$step_log"
        return 0
    fi
    if [ -n "$is_cut" ] && [ "$cases_failed" = 0 ]; then
        left_out+=("$name")
        echo "cut  $name ($((SECONDS - begin)) s$detail)"
        return 1
    fi
    failed=$((failed + 1))
    [ "$status" != 124 ] || echo "The step ran out of its time." >>"$step_log"
    echo "${bad}FAIL${plain} $name ($((SECONDS - begin)) s$detail, exit $status)"
    failed_steps+=("$name"$'\n'"$(failed_cases)")
    show_failure
    return 1
}

# The names of what failed in a step, each with its reason where one line has both: the end of a long output repeats them.
failed_cases() {
    grep -E '^✘ .* recorded an issue|^(FAIL|ERROR): |^[A-Za-z]*(Error|Exception): |\*\*\*(Failed|Timeout|Exception)|: error: |Fatal error' "$step_log" |
        head -n 8 | cut -c 1-300 | sed 's/^/        /'
}

# The log of a step that failed: whole if short, else the lines that tell most and its end.
show_failure() {
    local lines
    lines=$(wc -l <"$step_log")
    if [ "$lines" -le 120 ]; then
        sed 's/^/     | /' "$step_log"
    else
        grep -nE 'error:|Fatal error|FATAL|✘|\*\*\*Failed|ERROR: |WARNING: |SUMMARY: |Signal [0-9]+:|^FAIL: ' "$step_log" | head -n 60 | sed 's/^/     | /'
        echo "     | … the end of its $lines lines, without what passed:"
        grep -vE '^(✔|◇) ' "$step_log" | tail -n 60 | sed 's/^/     | /'
    fi
}

# A step that cannot run because an earlier one failed counts as failed: nobody should read its absence as success.
cannot_run() {
    if time_is_over; then
        [ "${left_out[-1]:-}" = "$1" ] || left_out+=("$1")
        return
    fi
    failed=$((failed + 1))
    failed_steps+=("$1")
    echo "${bad}FAIL${plain} $1 (not run: $2)"
}

finish() {
    local group
    for group in "${beside_groups[@]}"; do kill -- "-$group" 2>/dev/null; done
    [ ${#left_out[@]} = 0 ] || printf 'Left out, as %s minutes were over: %s\n' "$time_limit" "$(sed 's/ /, /g' <<<"${left_out[*]// /_}" | tr _ ' ')"
    [ ${#failed_steps[@]} = 0 ] || printf 'Failed: %s\n' "${failed_steps[@]}"
    echo "$(((SECONDS - started) / 60)) min $(((SECONDS - started) % 60)) s in all"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && exit 0
    exit 1
}

no_cases() { :; }

# `90 samples as expected, 0 not` and `7 rules hold, 0 broken (…)`: the lint's last line.
lint_cases() {
    local line
    line=$(tail -n 1 "$step_log")
    cases_passed=$(sed -nE 's/^([0-9]+) (samples|rules) .*/\1/p' <<<"$line")
    cases_failed=$(sed -nE 's/^.*, ([0-9]+) (not|broken).*/\1/p' <<<"$line")
    cases_passed=${cases_passed:-0} cases_failed=${cases_failed:-0}
}

# The file that `--xunit-output` writes: a test fails when it has a failure inside. A run that died leaves half
# a file or none; then what it had said counts, and what it was at when it died is named and has failed.
swift_cases() {
    if read -r cases_passed cases_failed < <(xunit_cases "$xunit"); then
        return
    fi
    cases_passed=$(grep -cE '^✔ Test .* passed after' "$step_log")
    cases_failed=$(grep -cE '^✘ Test .* failed after' "$step_log")
    local running
    running=$(sed -nE 's/^◇ (Test .*) started\.$/\1/p' "$step_log" | grep -vE '^Test (run|case)( |$)' |
        while read -r test; do grep -qF -e "✔ $test " -e "✘ $test " "$step_log" || echo "$test"; done)
    # What was ended for want of time has not failed.
    if [ -n "$running" ] && [ -z "$is_cut" ]; then
        cases_failed=$((cases_failed + $(wc -l <<<"$running")))
        printf 'The tests ended early; at that moment ran:\n%s\n' "$running" >>"$step_log"
    fi
}

xunit_cases() {
    [ -s "$1" ] && python3 - "$1" 2>/dev/null <<'PYTHON'
import sys
import xml.etree.ElementTree as tree

cases = list(tree.parse(sys.argv[1]).iter("testcase"))
failed = sum(1 for case in cases if case.find("failure") is not None or case.find("error") is not None)
skipped = sum(1 for case in cases if case.find("skipped") is not None)
print(len(cases) - failed - skipped, failed)
PYTHON
}

# `100% tests passed, 0 tests failed out of 5`
ctest_cases() {
    local line total
    line=$(grep -E 'tests passed, [0-9]+ tests? failed out of [0-9]+' "$step_log" | tail -n 1)
    total=$(sed -nE 's/.*out of ([0-9]+).*/\1/p' <<<"$line")
    cases_failed=$(sed -nE 's/.*passed, ([0-9]+) tests? failed.*/\1/p' <<<"$line")
    cases_failed=${cases_failed:-0}
    cases_passed=$((${total:-0} - cases_failed))
}

# `NAME   holds   0 of 100 bad …`, or BROKEN, for each variant of a protocol model
model_cases() {
    cases_passed=$(grep -cE '^[^ ].* holds +0 of [0-9]+ bad' "$step_log")
    cases_failed=$(grep -cE '^[^ ].* BROKEN +[0-9]+ of [0-9]+ bad' "$step_log")
}

# `    NAME   holds   0 of 40 bad` under the rules, `caught 29 of 33 bad` with one left out; else BROKEN or SURVIVES
race_cases() {
    cases_passed=$(grep -cE '^    .* (holds|caught) +[0-9]+ of [0-9]+ bad' "$step_log")
    cases_failed=$(grep -cE '^    .* (BROKEN|SURVIVES) +[0-9]+ of [0-9]+ bad' "$step_log")
}

# The last line `N passed, N failed` of the benchmark's comparison of answers.
counted_cases() {
    local line
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$step_log" | tail -n 1)
    cases_passed=$(sed -nE 's/^([0-9]+) passed.*/\1/p' <<<"$line")
    cases_failed=$(sed -nE 's/.*, ([0-9]+) failed.*/\1/p' <<<"$line")
    cases_passed=${cases_passed:-0} cases_failed=${cases_failed:-0}
}

# `# pass 31` and `# fail 0`, as Node prints at the end
tap_cases() {
    cases_passed=$(sed -nE 's/^# pass ([0-9]+)$/\1/p' "$step_log" | tail -n 1)
    cases_failed=$(sed -nE 's/^# fail ([0-9]+)$/\1/p' "$step_log" | tail -n 1)
    cases_passed=${cases_passed:-0} cases_failed=${cases_failed:-0}
}

# `Ran 11 tests in …`, then `FAILED (failures=1, errors=1)` when any did, or `OK (expected failures=1)`
unittest_cases() {
    local total
    total=$(sed -nE 's/^Ran ([0-9]+) tests? in .*/\1/p' "$step_log" | tail -n 1)
    cases_failed=$(($(grep -E '^(FAILED \(|OK$|OK \()' "$step_log" | tail -n 1 | sed 's/expected failures=//' |
        grep -oE '(failures|errors|unexpected successes)=[0-9]+' | cut -d= -f2 | paste -sd+ -)))
    cases_passed=$((${total:-0} - cases_failed))
}
