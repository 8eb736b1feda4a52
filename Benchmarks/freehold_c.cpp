// Freehold through its C interface, on workloads.md: what the C functions cost over the engine. The same data, streams, lines and
// checks as the driver in Swift; the same ways too (a count by the index, a sum by column) wherever C has them.
//   g++ -std=c++17 -O2 -march=native -I ../include freehold_c.cpp -o freehold_c -L LIB -lfreehold
#include "rivals/common.hpp"
#include <freehold.h>

using namespace bench;

namespace {

void ok(freehold_error_code_t code, const char* what)
{
    if (code != FREEHOLD_OK) {
        freehold_error_t error = {};
        error.size = sizeof error;
        freehold_last_error(&error);
        die("freehold: %s: %d %s", what, code, error.message ? error.message : "");
    }
}

enum Property : freehold_property_t { ID, AGE, SCORE, ACTIVE, CITY, NAME, CREATED, PROPERTIES };

struct Db {
    freehold_database_t* h;
    explicit Db(const std::string& path) { ok(freehold_database_open(path.c_str(), path.size(), nullptr, &h), "open"); }
    Db(const Db&) = delete;
    ~Db() { ok(freehold_database_close(h), "close"); }
};

struct Snapshot {
    freehold_snapshot_t* h;
    const freehold_reader_t* reader;
    explicit Snapshot(Db& db)
    {
        ok(freehold_snapshot_begin(db.h, &h), "snapshot");
        reader = freehold_snapshot_reader(h);
    }
    Snapshot(const Snapshot&) = delete;
    ~Snapshot() { ok(freehold_snapshot_end(h), "end"); }
    freehold_class_t find(const char* name) const
    {
        freehold_class_t found;
        ok(freehold_class_find(reader, name, FREEHOLD_TERMINATED, &found), "class");
        return found;
    }
    uint64_t count(freehold_class_t of) const
    {
        uint64_t count;
        ok(freehold_object_count(reader, of, &count), "count");
        return count;
    }
};

struct Transaction {
    freehold_transaction_t* h;
    const freehold_reader_t* reader;
    explicit Transaction(Db& db)
    {
        ok(freehold_transaction_begin(db.h, FREEHOLD_DEFAULT_TIMEOUT, &h), "begin");
        reader = freehold_transaction_reader(h);
    }
    void commit(freehold_durability_t durability = FREEHOLD_DURABILITY_FULL)
    {
        ok(freehold_transaction_commit(h, durability, nullptr), "commit");
    }
};

struct Query {
    freehold_query_t* h;
    Query(const freehold_reader_t* reader, freehold_class_t of, const char* text)
    {
        ok(freehold_query_prepare(reader, of, text, FREEHOLD_TERMINATED, 0, nullptr, 0, nullptr, &h), "query");
    }
    Query(const Query&) = delete;
    ~Query() { freehold_query_close(h); }
};

freehold_property_info_t property(const char* name, freehold_type_t type, uint32_t flags = 0, const char* target = nullptr)
{
    freehold_property_info_t info = {};
    info.size = sizeof info;
    info.name = {name, FREEHOLD_TERMINATED};
    info.type = type;
    info.flags = flags;
    if (target)
        info.link_target = {target, FREEHOLD_TERMINATED};
    return info;
}

freehold_class_t make_class(Transaction& t)
{
    const freehold_property_info_t properties[] = {
        property("id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY), property("age", FREEHOLD_TYPE_INT), property("score", FREEHOLD_TYPE_DOUBLE),
        property("active", FREEHOLD_TYPE_BOOL), property("city", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_INDEXED),
        property("name", FREEHOLD_TYPE_STRING), property("created", FREEHOLD_TYPE_DATE),
    };
    freehold_class_t made;
    ok(freehold_class_create(t.h, "person", FREEHOLD_TERMINATED, PROPERTIES, properties, &made), "class");
    return made;
}

void insert(freehold_transaction_t* t, freehold_class_t person, const Person& p)
{
    const freehold_value_t values[PROPERTIES] = {
        freehold_int(p.id), freehold_int(p.age), freehold_double(p.score), freehold_bool(p.active), freehold_string(p.city, p.city_len),
        freehold_string(p.name, p.name_len), freehold_date(p.created, 0),
    };
    ok(freehold_object_create(t, person, values, PROPERTIES, nullptr, values, nullptr), "create");
}

void remove_db(const std::string& path)
{
    unlink(path.c_str());
    unlink((path + ".lock").c_str());
}

void copy_db(const std::string& from, const std::string& to)
{
    remove_db(to);
    copy_file(from, to);
}

double bulk(const std::string& path, const std::vector<Person>& v)
{
    remove_db(path);
    Db db(path);
    double start = now_s();
    Transaction t(db);
    freehold_class_t person = make_class(t);
    for (auto& p : v)
        insert(t.h, person, p);
    t.commit();
    return now_s() - start;
}

double bulk_columns(const std::string& path, const std::vector<Person>& v)
{
    remove_db(path);
    std::vector<int64_t> ids, ages, created;
    std::vector<double> scores;
    std::vector<uint8_t> active;
    std::vector<freehold_text_t> cities, names;
    for (auto& p : v) {
        ids.push_back(p.id);
        ages.push_back(p.age);
        scores.push_back(p.score);
        active.push_back(p.active);
        cities.push_back({p.city, p.city_len});
        names.push_back({p.name, p.name_len});
        created.push_back(p.created * 1000000000);
    }
    Db db(path);
    double start = now_s();
    Transaction t(db);
    freehold_class_t person = make_class(t);
    const size_t size = sizeof(freehold_column_t);
    const freehold_column_t columns[] = {
        {size, ID, FREEHOLD_TYPE_INT, ids.data(), nullptr},         {size, AGE, FREEHOLD_TYPE_INT, ages.data(), nullptr},
        {size, SCORE, FREEHOLD_TYPE_DOUBLE, scores.data(), nullptr}, {size, ACTIVE, FREEHOLD_TYPE_BOOL, active.data(), nullptr},
        {size, CITY, FREEHOLD_TYPE_STRING, cities.data(), nullptr}, {size, NAME, FREEHOLD_TYPE_STRING, names.data(), nullptr},
        {size, CREATED, FREEHOLD_TYPE_INT, created.data(), nullptr},
    };
    ok(freehold_objects_create(t.h, person, v.size(), PROPERTIES, columns, nullptr), "create");
    t.commit();
    return now_s() - start;
}

int64_t age_of(const freehold_reader_t* reader, freehold_class_t person, int64_t id)
{
    static const freehold_property_t age = AGE;
    freehold_value_t value;
    ok(freehold_object_get(reader, person, id, 1, &age, &value), "get");
    return value.as.integer;
}

int64_t sum_of_ages(Db& db)
{
    Snapshot s(db);
    Query q(s.reader, s.find("person"), "GROUP() SELECT(age.@sum)");
    freehold_groups_t* groups;
    freehold_values_t figures;
    ok(freehold_query_groups(q.h, &groups), "groups");
    ok(freehold_groups_get(groups, 0, nullptr, &figures), "group");
    int64_t sum = figures.values[0].as.integer;
    freehold_groups_close(groups);
    return sum;
}

double snapshots(Db& db, double seconds)
{
    Snapshot s(db);
    uint64_t ops = 0;
    double start = now_s(), end = start + seconds, now;
    do {
        for (int i = 0; i < 1000; i++)
            ok(freehold_snapshot_refresh(s.h, nullptr), "refresh");
        ops += 1000;
    } while ((now = now_s()) < end);
    return double(ops) / (now - start);
}

int child_main(const Args& a)
{
    Shared* sh = map_shared(a.shm_fd);
    if (a.child == "commit_loop" || a.child == "mixed_writer") {
        const bool mixed = a.child == "mixed_writer";
        Db db(a.dir + (mixed ? "/mixed.freehold" : "/contended.freehold"));
        auto v = make_persons(a.n, 1000);
        uint64_t k = 0;
        freehold_class_t person;
        {
            Snapshot s(db);
            person = s.find("person");
        }
        child_wait_go(sh);
        while (!sh->stop.load(std::memory_order_relaxed)) {
            Transaction t(db);
            for (int i = 0; i < (mixed ? 100 : 1); i++) {
                Person& p = v[k % 1000];
                p.id = int64_t(a.n + k++);
                insert(t.h, person, p);
            }
            t.commit(FREEHOLD_DURABILITY_PROCESS_CRASH);
            sh->writes.store(k, std::memory_order_relaxed);
        }
    }
    else if (a.child == "mixed_reader") {
        Db db(a.dir + "/mixed.freehold");
        Snapshot s(db);
        freehold_class_t person = s.find("person");
        SplitMix64 g(7 + uint64_t(a.index));
        uint64_t k = 0;
        volatile int64_t sink = 0;
        child_wait_go(sh);
        while (!sh->stop.load(std::memory_order_relaxed)) {
            ok(freehold_snapshot_refresh(s.h, nullptr), "refresh");
            for (int i = 0; i < 100; i++)
                sink = sink + age_of(s.reader, person, int64_t(g.next() % a.n));
            sh->reads[a.index].store(k += 100, std::memory_order_relaxed);
        }
    }
    else if (a.child == "notify_reader") {
        Db db(a.dir + "/notify.freehold");
        Snapshot s(db);
        freehold_class_t person = s.find("person");
        freehold_version_t version;
        ok(freehold_reader_version(s.reader, &version), "version");
        child_wait_go(sh);
        while (!sh->stop.load(std::memory_order_relaxed)) {
            if (freehold_database_wait(db.h, version, 100, &version) != FREEHOLD_OK)
                continue;
            ok(freehold_snapshot_refresh(s.h, nullptr), "refresh");
            uint64_t count = s.count(person);
            ok(freehold_reader_version(s.reader, &version), "version");
            sh->seen_at.store(now_ns());
            sh->seen.store(count);
        }
    }
    else
        die("unknown role %s", a.child.c_str());
    return 0;
}

void notify(const Args& a, const std::string& file)
{
    const std::string path = a.dir + "/notify.freehold";
    copy_db(file, path);
    {
        Db db(path);
        auto v = make_persons(a.n, 2000);
        Children children;
        children.spawn(a, "notify_reader");
        children.start();
        std::vector<double> us;
        freehold_class_t person;
        {
            Snapshot s(db);
            person = s.find("person");
        }
        for (auto& p : v) {
            usleep(200); // let the other one go to sleep
            Transaction t(db);
            insert(t.h, person, p);
            t.commit(FREEHOLD_DURABILITY_PROCESS_CRASH);
            int64_t committed = now_ns();
            while (children.sh->seen.load() < uint64_t(p.id) + 1) {
            }
            us.push_back(double(children.sh->seen_at.load() - committed) * 1e-3);
        }
        children.finish();
        std::sort(us.begin(), us.end());
        emit("notify_p50", us[us.size() / 2], "us");
        emit("notify_p99", us[us.size() * 99 / 100], "us");
        check("notify", (long long)children.sh->seen.load());
    }
    remove_db(path);
}

void link_walk(const Args& a, const std::string& file)
{
    const std::string path = a.dir + "/links.freehold";
    copy_db(file, path);
    {
        Db db(path);
        SplitMix64 g(7);
        {
            Transaction t(db);
            const freehold_property_info_t properties[] = {
                property("id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY), property("owner", FREEHOLD_TYPE_LINK, 0, "person")};
            freehold_class_t dog;
            ok(freehold_class_create(t.h, "dog", FREEHOLD_TERMINATED, 2, properties, &dog), "class");
            for (int64_t i = 0; i < 200000; i++) {
                const freehold_value_t values[] = {freehold_int(i), freehold_link(int64_t(g.next() % a.n))};
                ok(freehold_object_create(t.h, dog, values, 2, nullptr, values, nullptr), "create");
            }
            t.commit();
        }
        Snapshot s(db);
        freehold_class_t person = s.find("person"), dog = s.find("dog");
        int64_t ages = 0;
        uint64_t found = 0;
        std::vector<int64_t> owners(4096);
        double start = now_s();
        freehold_key_t next = INT64_MIN;
        for (size_t filled = owners.size(); filled == owners.size();) {
            ok(freehold_column_integers(s.reader, dog, 1, &next, owners.size(), nullptr, owners.data(), nullptr, &filled), "column");
            for (size_t i = 0; i < filled; i++)
                ages += age_of(s.reader, person, owners[i]);
        }
        for (int i = 0; i < 10000; i++) {
            uint64_t count;
            ok(freehold_object_backlinks(s.reader, int64_t(g.next() % a.n), dog, 1, 0, nullptr, &count), "backlinks");
            found += count;
        }
        emit("link_walk", 210000 / (now_s() - start), "ops/s");
        check("link_walk_age", (long long)ages);
        check("link_walk_dogs", (long long)found);
    }
    remove_db(path);
}

} // namespace

// Long because each workload is a piece of it, as in the other drivers.
int main(int argc, char** argv)
{
    Args a = parse_args(argc, argv);
    if (!a.child.empty())
        return child_main(a);
    printf("# Freehold %s by its C interface, n=%llu\n", freehold_version(), (unsigned long long)a.n);
    const std::string file = a.dir + "/plain.freehold";
    const double n = double(a.n);

    if (a.wants("bulk_insert") || !exists(file)) {
        auto v = make_persons(0, a.n);
        double t = bulk(file, v);
        if (a.wants("bulk_insert")) {
            emit("bulk_insert", n / t, "objects/s");
            Db db(file);
            Snapshot s(db);
            check("bulk_insert", (long long)s.count(s.find("person")));
        }
    }
    if (a.wants("bulk_insert_columns")) {
        auto v = make_persons(0, a.n);
        const std::string path = a.dir + "/columns.freehold";
        emit("bulk_insert_columns", n / bulk_columns(path, v), "objects/s");
        {
            Db db(path);
            Snapshot s(db);
            check("bulk_insert_columns", (long long)s.count(s.find("person")));
        }
        remove_db(path);
    }
    if (a.wants("file_size"))
        emit("file_size", double(file_bytes(file)) / n, "bytes/object");
    if (a.wants("open")) {
        std::vector<double> us;
        SplitMix64 g(7);
        for (int i = 0; i < 20; i++) {
            int64_t id = int64_t(g.next() % a.n);
            double start = now_s();
            Db db(file);
            Snapshot s(db);
            volatile int64_t age = age_of(s.reader, s.find("person"), id);
            (void)age;
            us.push_back((now_s() - start) * 1e6);
        }
        std::sort(us.begin(), us.end());
        emit("open", us[10], "us");
    }
    for (int fast = 0; fast < 2; fast++) {
        const char* name = fast ? "commit_fast" : "commit_durable";
        if (!a.wants(name))
            continue;
        const std::string path = a.dir + "/commit.freehold";
        copy_db(file, path);
        {
            uint64_t count = fast ? 20000 : 1000;
            auto v = make_persons(a.n, count);
            Db db(path);
            freehold_class_t person;
            {
                Snapshot s(db);
                person = s.find("person");
            }
            double start = now_s();
            for (auto& p : v) {
                Transaction t(db);
                insert(t.h, person, p);
                t.commit(fast ? FREEHOLD_DURABILITY_PROCESS_CRASH : FREEHOLD_DURABILITY_FULL);
            }
            emit(name, double(count) / (now_s() - start), "tx/s");
            Snapshot s(db);
            check(name, (long long)s.count(person));
        }
        remove_db(path);
    }
    auto reading = [&](auto body) {
        Db db(file);
        Snapshot s(db);
        body(s, s.find("person"));
    };
    if (a.wants("pk_lookup"))
        reading([&](Snapshot& s, freehold_class_t person) {
            SplitMix64 g(7);
            int64_t sum = 0;
            double start = now_s();
            for (int i = 0; i < 1000000; i++)
                sum += age_of(s.reader, person, int64_t(g.next() % a.n));
            emit("pk_lookup", 1e6 / (now_s() - start), "ops/s");
            check("pk_lookup", (long long)sum);
        });
    if (a.wants("property_read"))
        reading([&](Snapshot& s, freehold_class_t person) {
            // One property of one object at a time, of objects near each other: what a call costs, not the memory.
            const freehold_property_t properties[] = {AGE, SCORE, ACTIVE, NAME};
            const char* names[] = {"property_read", "property_read_double", "property_read_bool", "property_read_string"};
            for (int which = 0; which < 4; which++) {
                const int64_t near = int64_t(std::min<uint64_t>(a.n, 1000));
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
    if (a.wants("traverse"))
        reading([&](Snapshot& s, freehold_class_t person) {
            std::vector<int64_t> ages(4096);
            std::vector<double> scores(4096);
            int64_t age = 0;
            double score = 0;
            double t = median_of(3, [&] {
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
            emit("traverse", n / t, "objects/s");
            check("traverse_age", (long long)age);
            check("traverse_score", score);
            std::vector<freehold_value_t> values(512);
            const freehold_property_t wanted[] = {AGE, SCORE};
            t = median_of(3, [&] {
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
            emit("traverse_rows", n / t, "objects/s");
            check("traverse_age", (long long)age);
            check("traverse_score", score);
        });
    auto scan = [&](const char* name, const char* text) {
        if (!a.wants(name))
            return;
        reading([&](Snapshot& s, freehold_class_t person) {
            uint64_t found = 0;
            double t = median_of(3, [&] {
                Query q(s.reader, person, text);
                ok(freehold_query_count(q.h, &found), "count");
            });
            emit(name, n / t, "objects/s");
            check(name, (long long)found);
        });
    };
    scan("scan_count", "age > 50 AND active = true");
    scan("scan_prefix", "name BEGINSWITH 'Al'");
    scan("scan_contains", "name CONTAINS 'son-9'");
    if (a.wants("index_eq"))
        reading([&](Snapshot& s, freehold_class_t person) {
            SplitMix64 g(7);
            uint64_t sum = 0;
            double start = now_s();
            for (int i = 0; i < 10000; i++) {
                char city[16];
                int length = snprintf(city, sizeof city, "city-%d", int(g.next() % 1000));
                freehold_value_t value = freehold_string(city, size_t(length));
                uint64_t count;
                ok(freehold_index_count(s.reader, person, CITY, &value, &count), "index");
                sum += count;
            }
            emit("index_eq", 10000 / (now_s() - start), "queries/s");
            check("index_eq", (long long)sum);
        });
    auto sort = [&](const char* name, const char* text) {
        if (!a.wants(name))
            return;
        reading([&](Snapshot& s, freehold_class_t person) {
            std::vector<int64_t> touched;
            volatile double sink = 0;
            double t = median_of(3, [&] {
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
            emit(name, n / t, "objects/s");
            check(name, join_ids(touched));
        });
    };
    sort("sort_double", "SORT(score DESC)");
    sort("sort_string", "SORT(name DESC)");
    if (a.wants("aggregate"))
        reading([&](Snapshot& s, freehold_class_t person) {
            int64_t sum = 0;
            double figures[3] = {};
            double t = median_of(3, [&] {
                Query q(s.reader, person, "GROUP() SELECT(age.@sum, score.@avg, score.@min, score.@max)");
                freehold_groups_t* groups;
                freehold_values_t found;
                ok(freehold_query_groups(q.h, &groups), "groups");
                ok(freehold_groups_get(groups, 0, nullptr, &found), "group");
                sum = found.values[0].as.integer;
                for (int i = 0; i < 3; i++)
                    figures[i] = found.values[i + 1].as.real;
                freehold_groups_close(groups);
            });
            emit("aggregate", n / t, "objects/s");
            check("aggregate_sum_age", (long long)sum);
            check("aggregate_avg_score", figures[0], 6);
            check("aggregate_min_score", figures[1], 9);
            check("aggregate_max_score", figures[2], 9);
        });
    auto changing = [&](const char* name, auto body) {
        if (!a.wants(name))
            return;
        const std::string path = a.dir + "/" + name + ".freehold";
        copy_db(file, path);
        {
            Db db(path);
            body(db);
        }
        remove_db(path);
    };
    changing("update", [&](Db& db) {
        const freehold_property_t age = AGE;
        SplitMix64 g(7);
        double start = now_s();
        Transaction t(db);
        freehold_class_t person;
        ok(freehold_class_find(t.reader, "person", FREEHOLD_TERMINATED, &person), "class");
        for (int i = 0; i < 100000; i++) {
            uint64_t r = g.next();
            freehold_value_t value = freehold_int(int64_t((r >> 32) % 100));
            ok(freehold_object_set(t.h, person, int64_t(r % a.n), 1, &age, &value), "set");
        }
        t.commit();
        emit("update", 100000 / (now_s() - start), "objects/s");
        check("update", (long long)sum_of_ages(db));
    });
    changing("delete", [&](Db& db) {
        uint64_t deleted;
        double start = now_s();
        Transaction t(db);
        freehold_class_t person;
        ok(freehold_class_find(t.reader, "person", FREEHOLD_TERMINATED, &person), "class");
        {
            Query q(t.reader, person, "age < 50");
            freehold_results_t* results;
            ok(freehold_query_run(q.h, &results), "run");
            ok(freehold_results_delete(results, t.h, &deleted), "delete");
            freehold_results_close(results);
        }
        t.commit();
        double taken = now_s() - start;
        Snapshot s(db);
        emit("delete", double(deleted) / taken, "objects/s");
        check("delete", (long long)s.count(s.find("person")));
    });
    if (a.wants("link_walk"))
        link_walk(a, file);
    if (a.wants("snapshot")) {
        Db db(file);
        emit("snapshot", snapshots(db, 2), "ops/s");
    }
    if (a.wants("snapshot_contended")) {
        const std::string path = a.dir + "/contended.freehold";
        copy_db(file, path);
        {
            Db db(path);
            Children children;
            children.spawn(a, "commit_loop");
            children.start();
            double start = now_s();
            uint64_t before = children.sh->writes.load();
            emit("snapshot_contended", snapshots(db, 3), "ops/s");
            emit("snapshot_contended_writer", double(children.sh->writes.load() - before) / (now_s() - start), "tx/s");
            children.finish();
        }
        remove_db(path);
    }
    if (a.wants("notify"))
        notify(a, file);
    if (a.wants("mixed")) {
        copy_db(file, a.dir + "/mixed.freehold");
        {
            Children children;
            children.spawn(a, "mixed_writer");
            for (int i = 0; i < 3; i++)
                children.spawn(a, "mixed_reader", i);
            children.start();
            double start = now_s();
            sleep(5);
            uint64_t reads = 0, writes = children.sh->writes.load();
            for (int i = 0; i < 3; i++)
                reads += children.sh->reads[i].load();
            double taken = now_s() - start;
            children.finish();
            emit("mixed_reads", double(reads) / taken, "reads/s");
            emit("mixed_writes", double(writes) / taken, "writes/s");
        }
        remove_db(a.dir + "/mixed.freehold");
    }
    return 0;
}
