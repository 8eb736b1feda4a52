// Databases of other kinds, imported where a database is opened and by a call.
#include "../../../Tests/Interfaces/CClient/small_sqlite.h"
#include "check.hpp"

void test_importing(const std::string &folder)
{
    const std::string path = folder + "/small.sqlite";
    CHECK(write_small_sqlite(path.c_str()));

    freehold::Options options;
    options.importing = freehold::ImportSource(path);
    options.importing->rules = {"map item=Item"};
    int calls = 0;
    bool goes_on = false;
    options.importing->progress = [&](const freehold::ImportProgress &progress) {
        calls++;
        CHECK(progress.written <= progress.total && !progress.waiting);
        return goes_on;
    };
    CHECK(throws(FREEHOLD_ERROR_IMPORT_STOPPED, [&] { freehold::Database(folder + "/imported", options); }));
    goes_on = true;
    const freehold::Database database(folder + "/imported", options);
    CHECK(calls > 0 && database.read().count("Item") == 3);
    CHECK(!database.import(*options.importing).is_new);

    freehold::ImportSource again(path);
    again.name = "again";
    const freehold::DatabaseImportReport report = database.import(again);
    CHECK(report.is_new && report.classes == 1 && report.objects == 3 && report.missing_links == 0);
    CHECK(database.read().count("item") == 3);

    freehold::ImportSource missing(folder + "/none");
    CHECK(!database.import(missing).is_new);
    missing.must_exist = true;
    CHECK(throws(FREEHOLD_ERROR_NOT_FOUND, [&] { database.import(missing); }));
}
