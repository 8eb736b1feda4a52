// Queries over all objects, by the index, sorted and summed up.
#include "store.hpp"

namespace bench {

namespace {

void scan(const FreeholdWorkloads& w, const char* name, const char* text)
{
    if (!w.a.wants(name))
        return;
    reading(w, [&](Snapshot& s, freehold_class_t person) {
        uint64_t found = 0;
        Query q(s.reader, person, text); // the engine's program has read its text before, too
        w.timed_median(name, [&] { ok(freehold_query_count(q.h, &found), "count"); });
        check(name, (long long)found);
    });
}

void index_eq(const FreeholdWorkloads& w)
{
    reading(w, [&](Snapshot& s, freehold_class_t person) {
        uint64_t sum = 0;
        double start = now_s();
        each_city([&](const char* city, int length) {
            freehold_value_t value = freehold_string(city, size_t(length));
            uint64_t count;
            ok(freehold_index_count(s.reader, person, CITY, &value, &count), "index");
            sum += count;
        });
        emit("index_eq", 10000 / (now_s() - start), "queries/s");
        check("index_eq", (long long)sum);
    });
}

void sort(const FreeholdWorkloads& w, const char* name, const char* text)
{
    if (!w.a.wants(name))
        return;
    reading(w, [&](Snapshot& s, freehold_class_t person) {
        std::vector<int64_t> touched;
        volatile double sink = 0;
        w.timed_median(name, [&] {
            Query q(s.reader, person, text);
            freehold_results_t* results;
            const freehold_key_t* keys;
            uint64_t count;
            ok(freehold_query_run(q.h, &results), "run");
            ok(freehold_results_keys(results, &keys, &count), "keys");
            touched.assign(keys, keys + 10);
            touched.push_back(keys[count - 1]);
            const freehold_property_t wanted[] = {SCORE, NAME};
            for (auto id : touched) {
                freehold_value_t values[2];
                ok(freehold_object_get(s.reader, person, id, 2, wanted, values), "get");
                sink = values[0].as.real + values[1].as.string.bytes[0];
            }
            freehold_results_close(results);
        });
        check(name, join_ids(touched));
    });
}

void aggregate(const FreeholdWorkloads& w)
{
    reading(w, [&](Snapshot& s, freehold_class_t person) {
        Query q(s.reader, person, "GROUP() SELECT(age.@sum, score.@avg, score.@min, score.@max)");
        w.aggregate([&] {
            freehold_groups_t* groups;
            freehold_values_t found;
            ok(freehold_query_groups(q.h, &groups), "groups");
            ok(freehold_groups_get(groups, 0, nullptr, &found), "group");
            const Aggregate figures{found.values[0].as.integer, found.values[1].as.real, found.values[2].as.real, found.values[3].as.real};
            freehold_groups_close(groups);
            return figures;
        });
    });
}

} // namespace

void run_queries(const FreeholdWorkloads& w)
{
    scan(w, "scan_count", "age > 50 AND active = true");
    scan(w, "scan_prefix", "name BEGINSWITH 'Al'");
    scan(w, "scan_contains", "name CONTAINS 'son-9'");
    if (w.a.wants("index_eq"))
        index_eq(w);
    sort(w, "sort_double", "SORT(score DESC)");
    sort(w, "sort_string", "SORT(name DESC)");
    if (w.a.wants("aggregate"))
        aggregate(w);
}

} // namespace bench
