// Many objects made from columns, and columns read back.
#include "check.hpp"

using Numbers = std::vector<std::int64_t>;

static void test_making(const freehold::Database &database)
{
    freehold::Transaction transaction = database.write();
    transaction.create_class("Reading", {{"at", FREEHOLD_TYPE_DATE}, {"celsius", FREEHOLD_TYPE_DOUBLE, FREEHOLD_PROPERTY_NULLABLE},
                                         {"place", FREEHOLD_TYPE_STRING}, {"good", FREEHOLD_TYPE_BOOL}, {"weight", FREEHOLD_TYPE_FLOAT},
                                         {"count", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_NULLABLE}, {"by", FREEHOLD_TYPE_LINK, 0, "Person"},
                                         {"tags", FREEHOLD_TYPE_STRING, 0, {}, {FREEHOLD_TYPE_LIST}}});
    const Numbers at = {1, 2'000'000'000, 3}, by = {1, 2, 1};
    const double celsius[] = {20.5, 0, -3};
    const std::uint8_t nulls[] = {0, 1, 0};
    const std::vector<std::string> places = {"Oslo", "", "a place with a name that is longer than most"};
    const std::vector<std::vector<std::string>> tags = {{"a", "b"}, {}, {"c"}};
    const std::optional<freehold::Key> first = transaction.create_many("Reading", {
        {"at", at}, {"celsius", celsius, 3, nulls}, {"place", places}, {"good", std::vector<bool>{true, false, true}},
        {"weight", std::vector<float>{0.5f, 1, 2}}, {"count", std::vector<std::optional<int>>{7, std::nullopt, 9}}, {"by", by}, {"tags", tags}});
    CHECK(first && transaction.count("Reading") == 3 && transaction.column<std::string>("Reading", "place") == places);
    CHECK(!transaction.create_many("Reading", {{"at", Numbers()}}));
    std::vector<freehold::Column> columns;
    columns.emplace_back("at", at);
    columns.emplace_back("place", std::vector<const char *>{"x", "y", "z"});
    CHECK(transaction.create_many("Reading", columns) == *first + 3);
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.create_many("Reading", {{"at", at}, {"weight", std::vector<float>{1}}}); }));
    CHECK(throws(FREEHOLD_ERROR_DUPLICATE_KEY, [&] { transaction.create_many("Person", {{"id", Numbers{5000, 1}}}); }));
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { transaction.create_many("Reading", {{"place", Numbers{1}}}); }));
    CHECK(transaction.count("Reading") == 6 && !transaction.find("Person", 5000));
    transaction.commit();
}

static void test_reading(const freehold::Database &database)
{
    const freehold::Snapshot snapshot = database.read();
    CHECK(snapshot.column<std::int64_t>("Reading", "at") == (Numbers{1, 2'000'000'000, 3, 1, 2'000'000'000, 3}));
    const freehold::Results found = snapshot.query("Reading", "weight > 0 SORT(weight DESC)");
    CHECK(found.column<std::string_view>("place") == (std::vector<std::string_view>{"a place with a name that is longer than most", "", "Oslo"}));
    CHECK(found.column<std::optional<double>>("celsius") == (std::vector<std::optional<double>>{-3, std::nullopt, 20.5}));
    CHECK(found.column<std::optional<std::int64_t>>("count") == (std::vector<std::optional<std::int64_t>>{9, std::nullopt, 7}));
    CHECK(found.column<bool>("good") == (std::vector<bool>{true, false, true}) && found.column<std::int64_t>("by") == (Numbers{1, 2, 1}));
    CHECK(found.column<float>("weight") == (std::vector<float>{2, 1, 0.5f}) && found.column<freehold::Link>("by")[1].key == 2);
    CHECK(found.column<std::vector<std::string>>("tags")[2] == (std::vector<std::string>{"a", "b"}));
    CHECK(found.column<freehold::Time>("at")[1] == freehold::Time(std::chrono::seconds(2)));
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { found.column<double>("place"); }));
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { found.column<int>("count"); }));
    CHECK(snapshot.query("Reading", "FALSEPREDICATE").column<bool>("good").empty());
}

// More than one step of a cursor, and an exact number of steps.
static void test_many(const freehold::Database &database)
{
    for (const std::size_t count : {std::size_t(256), std::size_t(700)}) {
        freehold::Transaction transaction = database.write();
        transaction.query("Person", "TRUEPREDICATE").remove();
        Numbers ids;
        std::vector<std::string> names;
        for (std::size_t id = 0; id < count; id++) {
            ids.push_back(static_cast<std::int64_t>(2 * id));
            names.push_back("person " + std::to_string(id));
        }
        transaction.create_many("Person", {{"id", ids}, {"name", names}, {"age", ids}});
        const freehold::KeyedColumn<std::string> named = transaction.keyed_column<std::string>("Person", "name");
        const freehold::KeyedColumn<std::int64_t> ages = transaction.keyed_column<std::int64_t>("Person", "age");
        CHECK(named.keys == ids && named.values == names && ages.keys == ids && ages.values == ids);
        CHECK(transaction.objects("Person").column<std::string>("name") == names);
        CHECK(transaction.keyed_column<double>("Person", "age").values.back() == 2.0 * static_cast<double>(count) - 2);
    }
}

void test_columns(const std::string &folder)
{
    const freehold::Database database = with_people(folder + "/columns", 3);
    test_making(database);
    test_reading(database);
    test_many(database);
}
