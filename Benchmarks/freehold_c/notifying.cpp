// A commit here, and who waits for it in another process.
#include "store.hpp"

namespace bench {

void notify(const FreeholdWorkloads& w)
{
    if (!w.a.wants("notify"))
        return;
    w.on_copy("notify", [&](const std::string& path) {
        Freehold::Writer writer(path, durable);
        check("notify", (long long)w.notify(writer, make_persons(w.a.n, 2000)));
    });
}

int hear_notifications(const FreeholdWorkloads& w)
{
    Db db(w.path("notify"));
    Snapshot s(db);
    freehold_class_t person = s.find("person");
    freehold_version_t version;
    ok(freehold_reader_version(s.reader, &version), "version");
    return w.tell_counts([&]() -> int64_t {
        if (freehold_database_wait(db.h, version, 100, &version) != FREEHOLD_OK)
            return -1;
        ok(freehold_snapshot_refresh(s.h, nullptr), "refresh");
        uint64_t count = s.count(person);
        ok(freehold_reader_version(s.reader, &version), "version");
        return int64_t(count);
    });
}

} // namespace bench
