// Freehold through its C interface, on workloads.md: what the C functions cost over the engine. The same data, streams, lines and
// checks as the driver in Swift; the same ways too (a count by the index, a sum by column) wherever C has them.
//   g++ -std=c++17 -O2 -march=native -I ../../include *.cpp -o freehold_c -L LIB -lfreehold
#include "store.hpp"

using namespace bench;

int main(int argc, char** argv)
{
    Args a = parse_args(argc, argv);
    const FreeholdWorkloads w(a);
    if (!a.child.empty())
        return a.child == "notify_reader" ? hear_notifications(w) : w.child();
    printf("# Freehold %s by its C interface, n=%llu\n", freehold_version(), (unsigned long long)a.n);

    w.bulk_insert();
    insert_columns(w);
    if (a.wants("file_size"))
        emit("file_size", double(file_bytes(w.file)) / w.n, "bytes/object");
    w.open([&](int64_t id) {
        double start = now_s();
        Db db(w.file);
        Snapshot s(db);
        volatile int64_t age = age_of(s.reader, s.find("person"), id);
        (void)age;
        return now_s() - start;
    });
    w.commits();
    read_objects(w);
    run_queries(w);
    change_objects(w);
    walk_links(w);
    w.snapshot();
    w.snapshot_contended();
    notify(w);
    w.mixed();
    return 0;
}
