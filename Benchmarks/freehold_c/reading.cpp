// Objects read by their keys, by properties, and all in turn.
#include "store.hpp"

namespace bench {

namespace {

void pk_lookup(const FreeholdWorkloads& w)
{
    reading(w, [&](Snapshot& s, freehold_class_t person) {
        SplitMix64 g(7);
        int64_t sum = 0;
        double start = now_s();
        for (int i = 0; i < 1000000; i++)
            sum += age_of(s.reader, person, int64_t(g.next() % w.a.n));
        emit("pk_lookup", 1e6 / (now_s() - start), "ops/s");
        check("pk_lookup", (long long)sum);
    });
}

void property_read(const FreeholdWorkloads& w)
{
    reading(w, [&](Snapshot& s, freehold_class_t person) {
        // One property of one object at a time, of objects near each other: what a call costs, not the memory.
        const freehold_property_t properties[] = {AGE, SCORE, ACTIVE, NAME};
        const char* names[] = {"property_read", "property_read_double", "property_read_bool", "property_read_string"};
        for (int which = 0; which < 4; which++) {
            const int64_t near = int64_t(std::min<uint64_t>(w.a.n, 1000));
            int64_t sum = 0;
            double t = median_of(3, [&] {
                sum = 0;
                for (int i = 0; i < 1000; i++)
                    for (int64_t id = 0; id < near; id++) {
                        freehold_value_t value;
                        ok(freehold_object_get(s.reader, person, id, 1, &properties[which], &value), "get");
                        sum += which == 0 ? value.as.integer : which == 1 ? int64_t(value.as.real) : which == 2 ? value.as.boolean : int64_t(value.as.string.length);
                    }
            });
            emit(names[which], t * 1e9 / double(1000 * near), "ns");
            check(names[which], (long long)sum);
        }
    });
}

void traverse(const FreeholdWorkloads& w)
{
    reading(w, [&](Snapshot& s, freehold_class_t person) {
        std::vector<int64_t> ages(4096);
        std::vector<double> scores(4096);
        int64_t age = 0;
        double score = 0;
        w.timed_median("traverse", [&] {
            age = 0;
            score = 0;
            freehold_key_t next = INT64_MIN, next_score = INT64_MIN;
            for (size_t filled = ages.size(); filled == ages.size();) {
                ok(freehold_column_integers(s.reader, person, AGE, &next, ages.size(), nullptr, ages.data(), nullptr, &filled), "column");
                ok(freehold_column_reals(s.reader, person, SCORE, &next_score, scores.size(), nullptr, scores.data(), nullptr, &filled), "column");
                for (size_t i = 0; i < filled; i++) {
                    age += ages[i];
                    score += scores[i];
                }
            }
        });
        check("traverse_age", (long long)age);
        check("traverse_score", score);
        std::vector<freehold_value_t> values(512);
        const freehold_property_t wanted[] = {AGE, SCORE};
        w.timed_median("traverse_rows", [&] {
            age = 0;
            score = 0;
            freehold_cursor_t* cursor;
            ok(freehold_cursor_open(s.reader, person, 2, wanted, &cursor), "cursor");
            for (size_t filled = 256; filled == 256;) {
                ok(freehold_cursor_next(cursor, 256, nullptr, values.data(), &filled), "next");
                for (size_t i = 0; i < filled; i++) {
                    age += values[2 * i].as.integer;
                    score += values[2 * i + 1].as.real;
                }
            }
            freehold_cursor_close(cursor);
        });
        check("traverse_age", (long long)age);
        check("traverse_score", score);
    });
}

} // namespace

void read_objects(const FreeholdWorkloads& w)
{
    if (w.a.wants("pk_lookup"))
        pk_lookup(w);
    if (w.a.wants("property_read"))
        property_read(w);
    if (w.a.wants("traverse"))
        traverse(w);
}

} // namespace bench
