// Sizes, holders, checks, copies under other keys, and what is saved of a damaged file.
#include "check.hpp"

#include <algorithm>
#include <fstream>
#include <unistd.h>

static void test_information(const freehold::Database &database)
{
    const freehold::Snapshot snapshot = database.read();
    const freehold::Information information = database.information();
    CHECK(information.version == snapshot.version() && information.file_length > 16384 && information.used_bytes > 0);
    const auto own = std::find_if(information.holders.begin(), information.holders.end(), [&](const freehold::Holder &holder) {
        return holder.process_id == getpid() && holder.version == snapshot.version();
    });
    CHECK(own != information.holders.end() && own->readers > 0 && !own->process_name.empty() && !own->parked);
    database.flush();
    CHECK(database.information().durable_version == information.version && information.lost_version == 0);
    const freehold::CheckReport report = database.check_report();
    CHECK(report.problems.empty() && report.classes == 1 && report.objects == 300 && report.index_entries >= 300 && report.blocks > 0);
    const auto [before, after] = database.compact();
    CHECK(before >= after && after > 0);
}

static std::uint64_t people(const std::string &path, const freehold::Options &options = {})
{
    return freehold::Database(path, options).read().count("Person");
}

static void test_copies(const std::string &folder, const freehold::Database &database)
{
    const freehold::Snapshot snapshot = database.read();
    database.write([](freehold::Transaction &transaction) { transaction.find("Person", 300)->remove(); });
    database.copy(snapshot, folder + "/then");
    CHECK(people(folder + "/then") == 300 && database.read().count("Person") == 299);
    freehold::Options options;
    options.encryption_key = freehold::generate_key();
    options.thread_limit = 1;
    options.file_mode = 0600;
    database.copy_under_key(folder + "/locked", options.encryption_key);
    CHECK(people(folder + "/locked", options) == 299 && throws(FREEHOLD_ERROR_KEY_MISSING, [&] { people(folder + "/locked"); }));
    const std::vector<std::uint8_t> other = freehold::generate_key();
    freehold::Database(folder + "/locked", options).change_key(other);
    CHECK(throws(FREEHOLD_ERROR_WRONG_KEY, [&] { people(folder + "/locked", options); }));
    options.encryption_key = other;
    CHECK(people(folder + "/locked", options) == 299);
    freehold::Database(folder + "/locked", options).copy_under_key(folder + "/open", {});
    CHECK(people(folder + "/open") == 299);
    options.flush_timeout = std::chrono::milliseconds(-1);
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { people(folder + "/locked", options); }));
}

static void test_salvage(const std::string &folder, const freehold::Database &database)
{
    const std::string backup = folder + "/kept", saved = folder + "/saved";
    CHECK(!freehold::Database::exists(backup) && database.backup(backup) > 0 && freehold::Database::exists(backup));
    CHECK(throws(FREEHOLD_ERROR_ALREADY_EXISTS, [&] { database.backup(backup); }));
    const freehold::SalvageReport whole = freehold::Database::salvage(backup, saved);
    CHECK(whole.complete && whole.classes == 1 && whole.objects == 299 && whole.lost_objects == 0 && whole.losses.empty());
    CHECK(people(saved) == 299 && freehold::Database::remove(saved));
    {
        std::fstream file(backup, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(0, std::ios::end);
        const std::streamoff length = file.tellg();
        for (std::streamoff place = 4 * 4096 + 60; place < length; place += 4096) file.seekp(place).write("damage", 6);
    }
    const freehold::CheckReport report = freehold::Database(backup).check_report();
    CHECK(!report.problems.empty() && !report.problems[0].kind.empty() && !report.problems[0].place.empty() && !report.problems[0].message.empty());
    CHECK(freehold::Database(backup).check() == report.problems.size());
    const freehold::SalvageReport part = freehold::Database::salvage(backup, saved);
    CHECK(!part.complete && !part.losses.empty() && !part.losses[0].empty());
    CHECK(throws(FREEHOLD_ERROR_NOT_FOUND, [&] { freehold::Database::salvage(folder + "/none", folder + "/never"); }));
}

void test_inspecting(const std::string &folder)
{
    const freehold::Database database = with_people(folder + "/inspecting", 300);
    test_information(database);
    test_copies(folder, database);
    test_salvage(folder, database);
}
