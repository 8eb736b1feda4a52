// Synced classes: declared, described, counted up, unmarked.
#include "check.hpp"

struct Parcel {
    std::string id;
    std::int64_t sent = 0;
};

template <> struct freehold::Mapping<Parcel> {
    static constexpr std::string_view name = "Parcel";
    static constexpr freehold_sync_t sync = FREEHOLD_SYNC_UPDATE_WINS;
    static constexpr auto members = std::make_tuple(
        freehold::member("id", &Parcel::id, FREEHOLD_PROPERTY_PRIMARY_KEY),
        freehold::member("sent", &Parcel::sent, FREEHOLD_PROPERTY_COUNTER));
};

static void test_declaring(freehold::Transaction &transaction)
{
    freehold::ClassDefinition item{"Item", {{"id", FREEHOLD_TYPE_UUID, FREEHOLD_PROPERTY_PRIMARY_KEY},
                                            {"stock", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_COUNTER}}};
    item.sync = FREEHOLD_SYNC_DELETION_WINS;
    const freehold::ClassDefinition box{"Box", {{"opened", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_COUNTER}}, "Item"};
    transaction.create_classes({item, box});
    CHECK(transaction.describe("Item").sync == FREEHOLD_SYNC_DELETION_WINS && transaction.describe("Box").sync == FREEHOLD_SYNC_NONE);
    CHECK(transaction.describe("Item").properties[1].flags == FREEHOLD_PROPERTY_COUNTER);
    CHECK(transaction.describe("Box").properties[0].flags == FREEHOLD_PROPERTY_COUNTER);
    // A description is a definition of the same.
    transaction.create_classes({transaction.describe("Item"), transaction.describe("Box")});
    transaction.create_class<Parcel>();
    CHECK(transaction.describe("Parcel").sync == FREEHOLD_SYNC_UPDATE_WINS);
    CHECK(transaction.describe("Parcel").properties[1].flags == FREEHOLD_PROPERTY_COUNTER);
}

static void test_counting(freehold::Transaction &transaction)
{
    freehold::Object box = transaction.create("Box", {{"id", freehold::Uuid{}}});
    CHECK(box.increment("stock") == 1 && box.increment("opened", -3) == -3 && box.increment("stock", 4) == 5);
    CHECK(box.get<int>("stock") == 5 && box.get<int>("opened") == -3);
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { box.increment("id"); }));
    CHECK(throws(FREEHOLD_ERROR_VALUE_TOO_LARGE, [&] { box.increment("stock", INT64_MAX); }));
    box.remove();
    CHECK(throws(FREEHOLD_ERROR_OBJECT_DELETED, [&] { box.increment("stock"); }));
}

static void test_agent(const freehold::Database &database)
{
    const freehold::Sync sync = database.sync();
    CHECK(!sync.settings() && sync.issues().empty() && sync.state().connection == FREEHOLD_SYNC_STOPPED);
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { sync.suspend(); }));
    sync.configure({"https://sync.example", "abc", std::nullopt});
    CHECK(sync.settings()->token == "abc" && !sync.settings()->token_file && !sync.settings()->suspended);
    sync.configure({"https://sync.example", std::nullopt, "/etc/app/token"});
    sync.suspend();
    CHECK(sync.settings()->address == "https://sync.example" && sync.settings()->token_file == "/etc/app/token");
    CHECK(!sync.settings()->token && sync.settings()->suspended);
    sync.resume();
    const freehold::Time at = freehold::Time(std::chrono::seconds(7));
    database.write([&](freehold::Transaction &transaction) {
        transaction.create("FreeholdSyncIssue", {{"date", at}, {"code", "beaten"}, {"what", "w"}, {"className", "Parcel"}});
    });
    const std::vector<freehold::SyncIssue> issues = sync.issues();
    CHECK(issues.size() == 1 && issues[0].date == at && issues[0].code == "beaten" && issues[0].what == "w");
    CHECK(issues[0].class_name == "Parcel" && issues[0].property.empty() && issues[0].advice.empty());
    const freehold::SyncState state = sync.state();
    CHECK(!state.has_agent && state.pending && !state.last_exchange);
    CHECK(throws(FREEHOLD_ERROR_BUSY, [&] { sync.download(std::chrono::milliseconds(0)); }));
}

void test_synced(const std::string &folder)
{
    const freehold::Database database(folder + "/synced");
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { database.sync_pull(); }) && !database.sync_push());
    freehold::Transaction transaction = database.write();
    test_declaring(transaction);
    test_counting(transaction);
    transaction.create("Parcel", {{"id", "left"}});
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.unmark_synced("Box"); }));
    transaction.unmark_synced("Item");
    CHECK(transaction.describe("Item").sync == FREEHOLD_SYNC_NONE && transaction.describe("Item").properties[1].flags == 0);
    transaction.commit();
    test_agent(database);
    CHECK(database.sync_push().has_value() && !database.sync_pull().empty());
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { database.sync_apply(*database.sync_push()); }));
    CHECK(throws(FREEHOLD_ERROR_MALFORMED_INPUT, [&] { database.sync_apply("\x04\x01nonsense"); }));
}
