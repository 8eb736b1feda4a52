// Dogs that link to their owners.
#include "store.hpp"

namespace bench {

namespace {

void make_dogs(const FreeholdWorkloads& w, Db& db, SplitMix64& g)
{
    Transaction t(db);
    const freehold_property_info_t properties[] = {
        property("id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY), property("owner", FREEHOLD_TYPE_LINK, 0, "person")};
    freehold_class_t dog;
    ok(freehold_class_create(t.h, "dog", FREEHOLD_TERMINATED, 2, properties, &dog), "class");
    for (int64_t i = 0; i < 200000; i++) {
        const freehold_value_t values[] = {freehold_int(i), freehold_link(int64_t(g.next() % w.a.n))};
        ok(freehold_object_create(t.h, dog, values, 2, nullptr, values, nullptr), "create");
    }
    t.commit();
}

void walk(const FreeholdWorkloads& w, Db& db)
{
    SplitMix64 g(7);
    make_dogs(w, db, g);
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
        ok(freehold_object_backlinks(s.reader, int64_t(g.next() % w.a.n), dog, 1, 0, nullptr, &count), "backlinks");
        found += count;
    }
    emit("link_walk", 210000 / (now_s() - start), "ops/s");
    check("link_walk_age", (long long)ages);
    check("link_walk_dogs", (long long)found);
}

} // namespace

void walk_links(const FreeholdWorkloads& w)
{
    if (!w.a.wants("link_walk"))
        return;
    w.on_copy("links", [&](const std::string& path) {
        Db db(path);
        walk(w, db);
    });
}

} // namespace bench
