// Objects made from arrays, changed and deleted, a transaction each.
#include "store.hpp"

namespace bench {

namespace {

double bulk_columns(const std::string& path, const std::vector<Person>& v)
{
    Freehold::remove(path);
    std::vector<int64_t> ids, ages, created;
    std::vector<double> scores;
    std::vector<uint8_t> active;
    std::vector<freehold_text_t> cities, names;
    // One behind the other, as the engine's own program has them.
    std::string city_bytes, name_bytes;
    for (auto& p : v) {
        city_bytes.append(p.city, p.city_len);
        name_bytes.append(p.name, p.name_len);
    }
    size_t city = 0, name = 0;
    for (auto& p : v) {
        ids.push_back(p.id);
        ages.push_back(p.age);
        scores.push_back(p.score);
        active.push_back(p.active);
        cities.push_back({&city_bytes[city], p.city_len});
        names.push_back({&name_bytes[name], p.name_len});
        city += p.city_len;
        name += p.name_len;
        created.push_back(p.created * 1000000000);
    }
    Db db(path);
    {
        Transaction t(db);
        make_class(t);
        t.commit();
    }
    double start = now_s();
    Transaction t(db);
    freehold_class_t person = t.find("person");
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

void update(const FreeholdWorkloads& w, Db& db)
{
    const freehold_property_t age = AGE;
    double start = now_s();
    Transaction t(db);
    freehold_class_t person = t.find("person");
    each_update(w.a.n, [&](int64_t id, int32_t new_age) {
        freehold_value_t value = freehold_int(new_age);
        ok(freehold_object_set(t.h, person, id, 1, &age, &value), "set");
    });
    t.commit();
    emit("update", 100000 / (now_s() - start), "objects/s");
    check("update", (long long)sum_of_ages(db));
}

void remove_young(Db& db)
{
    uint64_t deleted;
    double start = now_s();
    Transaction t(db);
    freehold_class_t person = t.find("person");
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
}

template <class Body>
void changing(const FreeholdWorkloads& w, const char* name, Body body)
{
    if (!w.a.wants(name))
        return;
    w.on_copy(name, [&](const std::string& path) {
        Db db(path);
        body(db);
    });
}

} // namespace

void insert_columns(const FreeholdWorkloads& w)
{
    if (!w.a.wants("bulk_insert_columns"))
        return;
    auto v = make_persons(0, w.a.n);
    const std::string path = w.path("columns");
    emit("bulk_insert_columns", w.n / bulk_columns(path, v), "objects/s");
    {
        Db db(path);
        Snapshot s(db);
        check("bulk_insert_columns", (long long)s.count(s.find("person")));
    }
    Freehold::remove(path);
}

void change_objects(const FreeholdWorkloads& w)
{
    changing(w, "update", [&](Db& db) { update(w, db); });
    changing(w, "delete", [](Db& db) { remove_young(db); });
}

} // namespace bench
