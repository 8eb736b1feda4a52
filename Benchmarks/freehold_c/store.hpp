// Freehold as the workloads of all stores see it, and its own ones by their files.
#pragma once
#include "handles.hpp"

namespace bench {

struct Freehold {
    static constexpr const char* NAME = "plain";
    static constexpr const char* EXTENSION = ".freehold";
    static constexpr int SNAPSHOTS = 1000;

    static void remove(const std::string& path)
    {
        const freehold_error_code_t code = freehold_database_delete_files(path.c_str(), path.size(), false);
        if (code != FREEHOLD_ABSENT)
            ok(code, "delete");
    }
    static void copy(const std::string& from, const std::string& to)
    {
        remove(to);
        copy_file(from, to);
    }

    static double bulk(const std::string& path, const std::vector<Person>& v)
    {
        remove(path);
        Db db(path);
        double start = now_s();
        Transaction t(db);
        freehold_class_t person = make_class(t);
        for (auto& p : v)
            insert(t.h, person, p);
        t.commit();
        return now_s() - start;
    }

    struct Writer {
        Db db;
        freehold_class_t person;
        freehold_durability_t durability;
        Writer(const std::string& path, Mode mode)
            : db(path), person(Snapshot(db).find("person")), durability(mode == fast ? FREEHOLD_DURABILITY_PROCESS_CRASH : FREEHOLD_DURABILITY_FULL)
        {
        }
        template <class Next>
        void commit(int count, Next next)
        {
            Transaction t(db);
            for (int i = 0; i < count; i++)
                insert(t.h, person, next());
            t.commit(durability);
        }
        uint64_t count() { return Snapshot(db).count(person); }
    };

    struct Reader {
        Db db;
        Snapshot s;
        freehold_class_t person;
        Reader(const std::string& path, Mode) : db(path), s(db), person(s.find("person")) {}
        void begin() { snapshot(); }
        void end() {}
        int64_t age(int64_t id) { return age_of(s.reader, person, id); }
        void snapshot() { ok(freehold_snapshot_refresh(s.h, nullptr), "refresh"); }
    };
};

using FreeholdWorkloads = Workloads<Freehold>;

void read_objects(const FreeholdWorkloads& w);       // reading.cpp: pk_lookup, property_read, traverse
void run_queries(const FreeholdWorkloads& w);        // querying.cpp: scan_…, index_eq, sort_…, aggregate
void insert_columns(const FreeholdWorkloads& w);     // changing.cpp: bulk_insert_columns
void change_objects(const FreeholdWorkloads& w);     // changing.cpp: update, delete
void walk_links(const FreeholdWorkloads& w);         // links.cpp: link_walk
void notify(const FreeholdWorkloads& w);             // notifying.cpp: notify
int hear_notifications(const FreeholdWorkloads& w);  // notifying.cpp: what the other process of notify does

// Gives `body` a snapshot of the file and the class in it.
template <class Body>
void reading(const FreeholdWorkloads& w, Body body)
{
    Db db(w.file);
    Snapshot s(db);
    body(s, s.find("person"));
}

} // namespace bench
