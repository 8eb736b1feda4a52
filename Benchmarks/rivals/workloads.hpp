// The workloads that all stores run alike: what is timed, and in which order, is said here once; what a step is stands in the drivers.
// Workloads<Store> takes from a driver
//   Store::NAME, Store::EXTENSION    of the file that bulk_insert makes; the copies have names of their own
//   Store::remove(path)              a file and all that belongs to it
//   Store::copy(from, to)            what on_copy works on
//   Store::bulk(path, persons)       makes that file; gives the seconds
//   Store::Writer(path, mode)        commit(count, next): a transaction that inserts next() so many times; count()
//   Store::Reader(path, mode)        begin(), age(id), end(): reads in a fresh snapshot; snapshot(): begins and ends one
//   Store::SNAPSHOTS                 how many of these to each look at the clock
#pragma once
#include "common.hpp"
#include <functional>

namespace bench {

enum Mode { durable, fast };

// ---- streams
template <class Each>
void each_city(Each each)
{
    SplitMix64 g(7);
    for (int i = 0; i < 10000; i++) {
        char city[16];
        int length = snprintf(city, sizeof city, "city-%d", int(g.next() % 1000));
        each(city, length);
    }
}

template <class Set>
void each_update(uint64_t n, Set set)
{
    SplitMix64 g(7);
    for (int i = 0; i < 100000; i++) {
        uint64_t r = g.next();
        set(int64_t(r % n), int32_t((r >> 32) % 100));
    }
}

struct Aggregate {
    int64_t sum_age;
    double avg_score, min_score, max_score;
};

template <class Store>
class Workloads {
public:
    const Args& a;
    const std::string file;
    const double n;

    explicit Workloads(const Args& a) : a(a), file(path(Store::NAME)), n(double(a.n)) {}

    std::string path(const std::string& stem) const { return a.dir + "/" + stem + Store::EXTENSION; }

    // Gives `body` the path of a copy of the file, which must be closed when it returns.
    template <class Body>
    void on_copy(const char* stem, Body body) const
    {
        const std::string copy = path(stem);
        Store::copy(file, copy);
        body(copy);
        Store::remove(copy);
    }

    // Emits what three passes over all objects took.
    template <class Pass>
    void timed_median(const char* name, Pass pass) const
    {
        emit(name, n / median_of(3, pass), "objects/s");
    }

    void bulk_insert() const
    {
        if (!a.wants("bulk_insert") && exists(file))
            return;
        auto v = make_persons(0, a.n);
        double t = Store::bulk(file, v);
        if (!a.wants("bulk_insert"))
            return;
        emit("bulk_insert", n / t, "objects/s");
        check("bulk_insert", (long long)typename Store::Writer(file, durable).count());
    }

    // `opened(id)` gives the seconds from nothing open to the object read, without those of closing.
    template <class Opened>
    void open(Opened opened) const
    {
        if (!a.wants("open"))
            return;
        std::vector<double> us;
        SplitMix64 g(7);
        for (int i = 0; i < 20; i++)
            us.push_back(opened(int64_t(g.next() % a.n)) * 1e6);
        std::sort(us.begin(), us.end());
        emit("open", us[10], "us");
    }

    void commits() const
    {
        commits("commit_durable", durable, 1000);
        commits("commit_fast", fast, 20000);
    }

    // `once()` gives what it has found.
    template <class Once>
    void aggregate(Once once) const
    {
        Aggregate found{};
        timed_median("aggregate", [&] { found = once(); });
        check("aggregate_sum_age", (long long)found.sum_age);
        check("aggregate_avg_score", found.avg_score, 6);
        check("aggregate_min_score", found.min_score, 9);
        check("aggregate_max_score", found.max_score, 9);
    }

    void snapshot() const
    {
        if (!a.wants("snapshot"))
            return;
        typename Store::Reader reader(file, durable);
        emit("snapshot", snapshots(reader, 2), "ops/s");
    }

    // `look` is called with the file still open, when its writer has ended.
    void snapshot_contended(const std::function<void()>& look = [] {}) const
    {
        if (!a.wants("snapshot_contended"))
            return;
        on_copy("contended", [&](const std::string& copy) {
            Children children;
            children.spawn(a, "commit_loop");
            typename Store::Reader reader(copy, fast);
            children.start();
            double start = now_s();
            uint64_t before = children.sh->writes.load();
            emit("snapshot_contended", snapshots(reader, 3), "ops/s");
            emit("snapshot_contended_writer", double(children.sh->writes.load() - before) / (now_s() - start), "tx/s");
            children.finish();
            look();
        });
    }

    // `look` is called while all still work.
    void mixed(const std::function<void()>& look = [] {}) const
    {
        if (!a.wants("mixed"))
            return;
        on_copy("mixed", [&](const std::string&) {
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
            look();
            children.finish();
            emit("mixed_reads", double(reads) / taken, "reads/s");
            emit("mixed_writes", double(writes) / taken, "writes/s");
        });
    }

    // From each commit's return to the new count in the process that hears of it (`tell_counts`); gives the last count. Before a commit is a
    // pause, so that commits do not fall in step with who hears of them, and behind it this process rests until the other one has answered.
    uint64_t notify(typename Store::Writer& writer, const std::vector<Person>& v) const
    {
        Children children;
        SplitMix64 g(7);
        children.spawn(a, "notify_reader");
        children.start();
        std::vector<double> us;
        for (auto& p : v) {
            usleep(useconds_t(g.next() % 2000));
            writer.commit(1, [&]() -> const Person& { return p; });
            int64_t committed = now_ns();
            while (children.sh->seen.load() < uint64_t(p.id) + 1)
                sem_wait(&children.sh->answered);
            // Who is told by the commit itself may have read before the call here returned.
            us.push_back(std::max(0.0, double(children.sh->seen_at.load() - committed) * 1e-3));
        }
        children.finish();
        if (getenv("DUMP_NOTIFY"))
            for (auto u : us)
                fprintf(stderr, "%.0f\n", u);
        std::sort(us.begin(), us.end());
        emit("notify_p50", us[us.size() / 2], "us");
        emit("notify_p99", us[us.size() * 99 / 100], "us");
        return children.sh->seen.load();
    }

    // The other side: `heard()` gives the new count, or -1 when nothing has come.
    template <class Heard>
    int tell_counts(Heard heard) const
    {
        Shared* sh = map_shared(a.shm_fd);
        child_wait_go(sh);
        while (!sh->stop.load(std::memory_order_relaxed)) {
            int64_t count = heard();
            if (count < 0)
                continue;
            sh->seen_at.store(now_ns());
            sh->seen.store(uint64_t(count));
            sem_post(&sh->answered);
        }
        return 0;
    }

    // What a helper process does.
    int child() const
    {
        if (a.child == "commit_loop")
            write_on(path("contended"), 1);
        else if (a.child == "mixed_writer")
            write_on(path("mixed"), 100);
        else if (a.child == "mixed_reader")
            read_on(path("mixed"));
        else
            die("unknown role %s", a.child.c_str());
        return 0;
    }

private:
    void commits(const char* name, Mode mode, uint64_t count) const
    {
        if (!a.wants(name))
            return;
        on_copy("commit", [&](const std::string& copy) {
            auto v = make_persons(a.n, count);
            typename Store::Writer writer(copy, mode);
            double start = now_s();
            for (auto& p : v)
                writer.commit(1, [&]() -> const Person& { return p; });
            emit(name, double(count) / (now_s() - start), "tx/s");
            check(name, (long long)writer.count());
        });
    }

    static double snapshots(typename Store::Reader& reader, double seconds)
    {
        uint64_t ops = 0;
        double start = now_s(), end = start + seconds, now;
        do {
            for (int i = 0; i < Store::SNAPSHOTS; i++)
                reader.snapshot();
            ops += Store::SNAPSHOTS;
        } while ((now = now_s()) < end);
        return double(ops) / (now - start);
    }

    void write_on(const std::string& copy, int at_once) const
    {
        Shared* sh = map_shared(a.shm_fd);
        typename Store::Writer writer(copy, fast);
        auto v = make_persons(a.n, 1000);
        uint64_t k = 0;
        auto next = [&]() -> const Person& {
            Person& p = v[k % 1000];
            p.id = int64_t(a.n + k++);
            return p;
        };
        child_wait_go(sh);
        while (!sh->stop.load(std::memory_order_relaxed)) {
            writer.commit(at_once, next);
            sh->writes.store(k, std::memory_order_relaxed);
        }
    }

    void read_on(const std::string& copy) const
    {
        Shared* sh = map_shared(a.shm_fd);
        typename Store::Reader reader(copy, fast);
        SplitMix64 g(7 + uint64_t(a.index));
        uint64_t k = 0;
        volatile int64_t sink = 0;
        child_wait_go(sh);
        while (!sh->stop.load(std::memory_order_relaxed)) {
            reader.begin();
            for (int i = 0; i < 100; i++)
                sink = sink + reader.age(int64_t(g.next() % a.n));
            reader.end();
            sh->reads[a.index].store(k += 100, std::memory_order_relaxed);
        }
    }
};

} // namespace bench
