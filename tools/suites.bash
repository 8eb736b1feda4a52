# The suites of tools/test: a function `suite_NAME` for each line of its table, and how the tests are built. Sourced by it.
#
# `all` is set where a suite runs as CI runs it, `long` where random tests run twenty times as often, and `whole` where no suite
# was named: then builds go on beside other suites, and a suite finds built what those before it need as well.

# A bare -Werror for C is what the package manager strips from the flags of dependencies, and stumbles over.
warnings=(-Xswiftc -warnings-as-errors -Xcc -Wall -Xcc -Werror=all)

# How the tests are built that run optimised: named points and assertions exist in debug builds only, unless asked for; with the thread
# sanitizer also mutexes whose hand-over it sees.
# Nobody reads debug information here, and it is two fifths of a build's memory.
optimised=(-c release -Xswiftc -enable-testing -Xswiftc -DFREEHOLD_POINTS -Xswiftc -assert-config -Xswiftc Debug -Xswiftc -gnone)
for_threads=("${optimised[@]}" --sanitize=thread -Xswiftc -DFREEHOLD_THREAD_SANITIZER)
for_addresses=("${optimised[@]}" --sanitize=address)
# Which test targets these have something to show of, and of which of their files; the others are not compiled.
long_targets="CrashTests QueryTests CodeTests FuzzTests ContractTests:FootprintTests.swift,HelperProcess.swift"
long_targets+=" CollectionTests"
long_targets+=" DatabaseTests:Database/ModelTests.swift,Database/SeveralWritersTests.swift,Transactions/SavepointTests.swift"
long_targets+=",Database/ReplacementTests.swift"
long_targets+=",Transactions/SchemaChangeTests.swift,Transactions/BatchDeleteTests.swift,Changes/ChangeFeedTests.swift"
long_targets+=",Salvage/SalvageTests.swift,Salvage/Wreck.swift"
long_targets+=" ImportTests:Realm SyncTests"
long_targets+=" ObjectTests:Models.swift,Mutex+Sanitizer.swift,Queues.swift,Threads.swift"
long_targets+=",Observing/ObservedCopies.swift,Observing/ObservingKit.swift,Observing/ObservingModelTests.swift"
# The debug run leaves these to them where both are run: unoptimised they took half of its time. Imports of other files than .realm ones
# run under the address sanitizer.
left_to_long='^(CrashTests|FuzzTests|SyncTests|CollectionTests|ImportTests|QueryTests|ContractTests\.FootprintTests'
left_to_long+='|DatabaseTests\.(ModelTests|SeveralWritersTests|SavepointTests|SchemaChangeTests|ChangeFeedTests|BatchDeleteTests|SalvageTests'
left_to_long+='|ReplacementTests))[./]'
# Nor does it run what the address sanitizer's run has with the same assertions, its random tests a tenth as often.
left_to_address='^(IndexTests|TextIndexTests|SpaceTests|EngineTests|DatabaseTests)[./]'
# Those with threads in them.
thread_targets="PlatformTests SharingTests ObjectTests DatabaseTests:Clients,LiveResults,Database/ThreadTests.swift"
thread_targets+=",Database/HandedOverWriteTests.swift,Database/SeveralWritersTests.swift"
# Suites about killed processes, whole programs and texts have nothing to show to a sanitizer of this process; objects of Swift models keep
# to what the engine gives them.
address_targets="PlatformTests SharingTests DatabaseTests IndexTests TextIndexTests SpaceTests EngineTests CollectionTests QueryTests CrashTests ImportTests CInterfaceTests"

# A release build compiles a module on one core, and models and daily tests keep one busy. So those that later steps need are made beside
# these, with what they leave; what fails here fails again where it is needed, and is told there.
build_ahead() {
    # Not by a nice value, which the build system sets to its own when it may: only what nobody else wants of a processor.
    chrt --idle --pid 0 "$BASHPID"
    build_long_suites
    touch "$log_folder/long.built"
    # It shares the folder of the debug build, which would wait for it.
    until [ -e "$log_folder/debug.built" ]; do sleep 1; done
    make_c_library
    touch "$log_folder/library.built"
    build_services
    touch "$log_folder/services.built"
}

# The same for the sanitizers, whose suites are the last ones.
build_sanitized() {
    chrt --idle --pid 0 "$BASHPID"
    until [ -e "$log_folder/library.built" ]; do sleep 1; done
    for folder in .build-address .build-thread; do drop_stale_build "$folder"; done
    FREEHOLD_TESTS=$address_targets FREEHOLD_PLAIN_TESTS=1 swift build --build-tests --scratch-path .build-address "${warnings[@]}" "${for_addresses[@]}"
    touch "$log_folder/address.built"
    FREEHOLD_TESTS=$thread_targets FREEHOLD_PLAIN_TESTS=1 swift build --build-tests --scratch-path .build-thread "${warnings[@]}" "${for_threads[@]}"
    touch "$log_folder/thread.built"
}
# wait_built NAME ROW: until what a suite needs is built by a row of builds, or will not be.
wait_built() {
    local begin=$SECONDS process=${beside_groups[$2]:-}
    [ -n "$process" ] || return 0
    until [ -e "$log_folder/$1.built" ] || ! is_running "$process" || time_is_over; do sleep 1; done
    [ $((SECONDS - begin)) -lt 2 ] || echo "     waited for the build of $1 ($((SECONDS - begin)) s)"
}

# swift_tests NAME FOLDER MINUTES FLAG…: builds the tests in a build folder of their own and runs them; the array
# `chosen` names suites to run or to skip. What `beside` names runs beside them, as they do not keep two processors busy.
chosen=()
beside=''
swift_tests() {
    local name=$1 folder=$2 minutes=$3 tests status=0
    shift 3
    xunit=$log_folder/xunit$folder.xml
    drop_stale_build "$folder"
    step "Build$name" no_cases limited 30 swift build --build-tests --scratch-path "$folder" "${warnings[@]}" "$@" || status=$?
    touch "$log_folder/debug.built" # the debug build is the first one here
    if [ $status != 0 ]; then
        cannot_run "Swift tests$name" "the build failed"
        return 1
    fi
    # Started as it stands, not by `swift test`: what it says is heard at once, and a time limit ends it and its helpers.
    tests=$(swift build --scratch-path "$folder" "$@" --show-bin-path)/FreeholdPackageTests.xctest
    [ -z "$beside" ] || run_beside "$beside"
    step "Swift tests$name" swift_cases limited "$minutes" "$tests" --testing-library swift-testing --xunit-output "$xunit" "${chosen[@]}"
    all_ran "${FREEHOLD_TESTS:-}" "$name"
}

# all_ran TARGETS NAME: a filter that finds nothing is told by nobody else.
all_ran() {
    local target
    for target in $1; do
        target=${target%%:*}
        grep -q "\"$target\." "$xunit" || cannot_run "$target$2" "no test of it ran"
    done
}

suite_lint() { step "Lint" lint_cases tools/lint; }
suite_lint_samples() { step "Lint on its samples" lint_cases tools/lint --self-test; }
suite_benchmark_runner() { step "Benchmark runner's own tests" unittest_cases python3 -B -m unittest discover -s Benchmarks; }
suite_migrate_source() { step "Tests of migrate-source" unittest_cases python3 -B -m unittest discover -s tools/migrating -t tools; }

suite_models() {
    local model traces=100
    [ -z "$all" ] || traces=120
    for model in docs/models/*_model.py; do
        step "$(basename "$model" .py), $traces traces a variant" model_cases limited 20 python3 -B "$model" --fixed --traces "$traces"
    done
}

suite_races() { step "Races of commits, with and without their rules" race_cases limited 5 python3 -B docs/models/commit_races.py; }

# With --all also with the macro that a package trait asks for; it builds swift-syntax, which takes its time.
suite_swift() {
    local traits=()
    [ -z "$all" ] || traits=(--traits OldModels)
    if [ -n "$all" ]; then
        chosen=(--skip "$left_to_long" --skip "$left_to_address")
    elif [ -n "$whole" ]; then
        beside=make_c_library
    fi
    swift_tests "" .build 30 "${traits[@]}"
    beside='' chosen=()
    wait_beside make_c_library
    [ -n "$all" ] && [ -n "$whole" ] || return 0
    wait_built long build_ahead
    run_beside long_suites
}

# swift_targets TARGET…: single targets of the Swift tests, in the debug build.
swift_targets() {
    local targets="$*"
    chosen=(--filter "^(${targets// /|})[./]")
    swift_tests ", ${targets// /, }" .build 30
    chosen=()
}

# The library for other languages, built the way its users build it, and the C programs that test it.
c_folder=.build/cmake
configure_c_library() { cmake -S . -B "$c_folder" -DFREEHOLD_SCRATCH="$PWD/.build"; }
# What fails here fails again where it is needed, and is told there.
make_c_library() { configure_c_library && cmake --build "$c_folder"; }

# Builds it for the first suite that needs it; the others do not run if that failed.
c_library=''
need_c_library() {
    wait_built library build_ahead
    if [ -z "$c_library" ]; then
        c_library=failed
        if step "Configure the C library" no_cases configure_c_library &&
            step "Build the C library" no_cases limited 30 cmake --build "$c_folder"; then
            c_library=built
        else
            cannot_run "C and Python tests" "the build failed"
        fi
    fi
    [ "$c_library" = built ]
}

# The programs in .build/debug; the Swift tests have built them where they ran.
programs=''
need_programs() {
    [ -z "$whole" ] && [ -z "$programs" ] || return 0
    programs=built
    step "Build the programs" no_cases limited 30 swift build --scratch-path .build "${warnings[@]}"
}

suite_documents() {
    need_programs
    step "Swift in the documents" unittest_cases limited 5 env FREEHOLD_MODULES="$PWD/.build/debug/Modules" \
        python3 -B -m unittest discover -s Tests/Documents
}

suite_c() {
    need_c_library || return
    step "C tests" ctest_cases limited 10 ctest --test-dir "$c_folder" --output-on-failure --no-tests=error
}

suite_python() {
    need_c_library && need_programs || return
    step "Python tests" unittest_cases limited 5 env ${all:+FREEHOLD_LONG=1} FREEHOLD_LIBRARY="$PWD/$c_folder/lib/libfreehold.so.1" \
        FREEHOLD_SCRATCH="$PWD/.build" PYTHONPATH=bindings/python/src python3 -B -m unittest discover -s bindings/python/tests
}

suite_languages() {
    need_c_library && need_programs || return
    step "Four languages on one file" unittest_cases limited 6 env ${all:+FREEHOLD_LONG=1} \
        FREEHOLD_LIBRARY="$PWD/$c_folder/lib/libfreehold.so.1" PYTHONPATH=bindings/python/src \
        FREEHOLD_MEMBERS="swift=.build/debug/FourLanguagesMember:c=$c_folder/cmake/tests/member_c:cpp=$c_folder/cmake/tests/member_cpp" \
        python3 -B -m unittest discover -s Tests/Processes/FourLanguages
}

# tools/torture --minutes 60 before a change of the engine is called done.
suite_torture() {
    need_c_library && need_programs || return
    step "Torture, two minutes" counted_cases limited 15 tools/torturing/run --minutes 2
}

# The programs, each once: what only compiles, or is the same program linked or compiled otherwise, has nothing to show to valgrind.
suite_valgrind() {
    need_c_library || return
    step "C tests under valgrind" ctest_cases limited 30 \
        env FREEHOLD_TEST_WRAPPER="valgrind --quiet --vgdb=no --fair-sched=try --error-exitcode=9 --trace-children=yes \
            --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite" \
        ctest --test-dir "$c_folder" --output-on-failure --no-tests=error --label-regex '^program$' --exclude-regex static
}

# The address space is reserved in one piece, and SIGBUS is handled: both have to be agreed with the sanitizers. Where memory was taken is
# not noted, which would be a quarter of the time: for a report that says it, run a test again without malloc_context_size.
suite_address() {
    wait_built address build_sanitized
    FREEHOLD_TESTS=$address_targets FREEHOLD_PLAIN_TESTS=1 FREEHOLD_SANITIZER=address \
        ASAN_OPTIONS=detect_leaks=0:handle_sigbus=0:allow_user_segv_handler=1:malloc_context_size=1:quarantine_size_mb=64 \
        swift_tests " with the address sanitizer, optimised" .build-address 60 "${for_addresses[@]}"
}

suite_thread() {
    wait_built thread build_sanitized
    FREEHOLD_TESTS=$thread_targets FREEHOLD_PLAIN_TESTS=1 TSAN_OPTIONS=handle_sigbus=0:allow_user_segv_handler=1 FREEHOLD_SANITIZER=thread \
        swift_tests " with the thread sanitizer, optimised" .build-thread 40 "${for_threads[@]}"
}

# What the daily run does a bounded number of times, several times as often: crash images, random histories, queries and damaged files; a
# million updates in one file; and the machine code of reading a property. Beside the C tests and the sanitizers' runs, and told behind them.
long_xunit=$log_folder/xunit.build-optimised.xml
long_suites() {
    local times=2
    [ -z "$long" ] || times=20
    # Made ahead.
    local tests
    tests=$(FREEHOLD_TESTS=$long_targets swift build --scratch-path .build-optimised "${optimised[@]}" --show-bin-path)/FreeholdPackageTests.xctest
    FREEHOLD_LONG=$times timeout --foreground 2700 "$tests" --testing-library swift-testing --xunit-output "$long_xunit"
    echo $? >"$log_folder/long.status"
}
long_suites_told() {
    cat "$log_folder/long_suites.log"
    return "$(cat "$log_folder/long.status" 2>/dev/null || echo 124)"
}

build_long_suites() {
    drop_stale_build .build-optimised
    FREEHOLD_TESTS=$long_targets swift build --build-tests --scratch-path .build-optimised "${warnings[@]}" "${optimised[@]}"
}
long_suites_now() {
    long_suites
    return "$(cat "$log_folder/long.status")"
}
suite_long() {
    local run=long_suites_told
    if [ -n "$whole" ]; then
        wait_beside long_suites
    elif step "Build, long suites, optimised" no_cases build_long_suites; then
        run=long_suites_now
    else
        cannot_run "Swift tests, long suites, optimised" "the build failed"
        return 1
    fi
    xunit=$long_xunit
    step "Swift tests, long suites, optimised" swift_cases "$run"
    all_ran "$long_targets" ", long suites"
}

# The packages that depend on this one, built where the long suites are and with the same flags: the library's modules are compiled once
# for all three. A package's plan may be the one that another left there, so none is taken as it lies.
dependent=(--scratch-path "$PWD/.build-optimised" --disable-build-manifest-caching "${warnings[@]}" "${optimised[@]}")
build_services() {
    drop_stale_build .build-optimised
    notice_files Services
    swift build --package-path Services "${dependent[@]}" --build-tests
}
suite_browser() {
    need_c_library && need_programs || return
    wait_built services build_ahead
    if ! step "Build, the browser" no_cases build_services; then
        cannot_run "Tests of the browser" "the build failed"
        return 1
    fi
    local folder=$PWD/.build-optimised/release
    xunit=$log_folder/xunit.browser.xml
    step "Swift tests of the browser" swift_cases limited 10 "$folder/FreeholdServicesPackageTests.xctest" --testing-library swift-testing \
        --xunit-output "$xunit"
    # What the page computes by itself; its tests in Chromium reach it, too.
    if node --test-reporter=tap --test /dev/null >/dev/null 2>&1; then
        step "Modules of the browser's page" tap_cases limited 2 node --test-reporter=tap --test Services/Tests/Page
    fi
    around_browser=(env ${all:+FREEHOLD_LONG=1} FREEHOLD_BROWSE="$folder/freehold-browse" FREEHOLD_COMMAND="$PWD/.build/debug/freehold"
        FREEHOLD_LIBRARY="$PWD/$c_folder/lib/libfreehold.so.1" PYTHONPATH="$PWD/bindings/python/src")
    # Slow and silent clients mostly wait, so the page is tested meanwhile, and what comes next.
    run_beside browser_requests
    step "The browser's page in Chromium" unittest_cases limited 15 \
        env FREEHOLD_PATIENCE="${FREEHOLD_PATIENCE:-3}" "${around_browser[@]}" Services/Tests/chromium # only a failure waits longer
    # A fifth of a long run, with 50,000 forged messages.
    step "Sync with real processes" unittest_cases limited 15 env ${all:+FREEHOLD_LONG=0.2} FREEHOLD_SERVICES="$folder" \
        FREEHOLD_STALL_SWIFT="$PWD/.build/debug/ExampleStall" FREEHOLD_STALL_C="$PWD/$c_folder/cmake/tests/example_stall" \
        FREEHOLD_LIBRARY="$PWD/$c_folder/lib/libfreehold.so.1" PYTHONPATH="$PWD/bindings/python/src" \
        python3 -B -m unittest discover -s Services/Tests/sync
    [ -n "$all" ] && [ -n "$whole" ] || browser_requests_told
}
browser_requests() {
    timeout --foreground 1800 "${around_browser[@]}" python3 -B -m unittest discover -s Services/Tests/Protocol
    echo $? >"$log_folder/browser.status"
}
browser_requests_log() {
    cat "$log_folder/browser_requests.log"
    return "$(cat "$log_folder/browser.status" 2>/dev/null || echo 124)"
}
browser_requests_told() {
    [ -n "${beside_groups[browser_requests]:-}" ] || return 0
    wait_beside browser_requests
    step "Requests to the browser" unittest_cases browser_requests_log
}

# Behind the browser: a build of this package removes the sources of packages that it does not need itself.
suite_benchmarks() {
    drop_stale_build .build-optimised
    step "Benchmarks at a small size" counted_cases limited 30 \
        env FREEHOLD_BENCHMARK_FLAGS="${dependent[*]}" Benchmarks/run --n 10000 --rounds 1 --drivers freehold,freehold-c,sqlite,lmdb,python,floor
    browser_requests_told
}
