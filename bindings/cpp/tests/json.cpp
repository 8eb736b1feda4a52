// JSON from and to streams, which may fail; objects deleted by their keys.
#include "check.hpp"

#include <sstream>

// Takes and gives so many bytes, then throws, or fails without a word.
struct ShortBuffer : std::streambuf {
    ShortBuffer(std::string text, bool throwing) : text(std::move(text)), throwing(throwing) {}
    std::string text;
    bool throwing;
    std::size_t place = 0;

    int_type underflow() override
    {
        if (place < text.size()) return traits_type::to_int_type(text[place]);
        throw freehold::Error(88, "no", "", 0);
    }
    int_type uflow() override
    {
        const int_type next = underflow();
        place++;
        return next;
    }
    std::streamsize xsputn(const char *, std::streamsize count) override
    {
        if (throwing) throw freehold::Error(88, "no", "", 0);
        return count - 1;
    }
};

static void test_round(const freehold::Database &database)
{
    const freehold::Snapshot snapshot = database.read();
    std::ostringstream text, some;
    snapshot.write_json("Person", text);
    CHECK(text.str() == snapshot.objects("Person").json() && text.str()[0] == '[');
    snapshot.query("Person", "age < 3").write_json(some, true);
    CHECK(some.str() == snapshot.query("Person", "age < 3").json(true) && some.str().size() < text.str().size() / 100);
    database.write([&](freehold::Transaction &transaction) {
        std::istringstream input(text.str());
        const freehold::ImportReport report = transaction.import_json("Copy", input, {"id"});
        CHECK(report.records == 5000 && report.nested == 0 && report.bad_records.empty() && transaction.count("Copy") == 5000);
        CHECK(transaction.find("Copy", 4999)->get<std::string>("name") == "person 4999");
        CHECK(transaction.remove_many("Copy", {1, 2, 77777, 5000}) == 3 && transaction.count("Copy") == 4997);
    });
}

static void test_bad_records(const freehold::Database &database)
{
    const std::string text = "{\"id\": 1, \"size\": 2}\n{\"id\": 2, \"size\": \"big\"}\n{\"id\": 3, \"size\": 4}\n";
    freehold::Transaction transaction = database.write();
    transaction.create_class("Box", {{"id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY}, {"size", FREEHOLD_TYPE_INT}});
    std::istringstream strict(text), lenient(text);
    CHECK(throws(FREEHOLD_ERROR_MALFORMED_INPUT, [&] { transaction.import_json("Box", strict, {}); }) && transaction.count("Box") == 0);
    const freehold::ImportReport report = transaction.import_json("Box", lenient, {{}, true});
    CHECK(report.records == 2 && transaction.count("Box") == 2);
    CHECK(report.bad_records.size() == 1 && report.bad_records[0].line == 2 && !report.bad_records[0].message.empty());
}

static void test_failing_streams(const freehold::Database &database)
{
    freehold::Transaction transaction = database.write();
    ShortBuffer cut("{\"id\": 1}\n", true), silent("", false);
    std::istream input(&cut);
    // A stream that was not told to throws nothing.
    CHECK(throws(FREEHOLD_ERROR_IO, [&] { transaction.import_json("Box", input, {}); }));
    ShortBuffer again("{\"id\": 1}\n", true);
    std::istream throwing(&again);
    throwing.exceptions(std::ios::badbit);
    CHECK(throws(88, [&] { transaction.import_json("Box", throwing, {}); }) && !transaction.has_class("Box"));
    std::ostream output(&silent);
    CHECK(throws(FREEHOLD_ERROR_IO, [&] { transaction.write_json("Person", output); }));
    std::ostream shouting(&again);
    shouting.exceptions(std::ios::badbit);
    CHECK(throws(88, [&] { transaction.write_json("Person", shouting); }));
    std::istringstream none;
    CHECK(transaction.import_json("Person", none, {}).records == 0);
}

void test_json(const std::string &folder)
{
    const freehold::Database database = with_people(folder + "/json", 5000);
    test_round(database);
    test_bad_records(database);
    test_failing_streams(database);
}
