// Parts of long values, values written piece by piece, and sequences.
#include "check.hpp"

#include <algorithm>

using Data = std::vector<std::uint8_t>;

static void test_streaming(const freehold::Database &database)
{
    Data bytes(3'000'000);
    for (std::size_t place = 0; place < bytes.size(); place++) bytes[place] = static_cast<std::uint8_t>(place * 31 + (place >> 9));
    freehold::LargeValue frames = database.large_value(bytes.size());
    for (std::size_t start = 0; start < bytes.size(); start += 100'000) frames.write(freehold::Bytes{bytes.data() + start, 100'000});
    freehold::Transaction transaction = database.write();
    freehold::Object film = *transaction.find("Film", 1);
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { film.set("frames", frames); }));
    transaction.rollback();
    frames.finish();
    transaction = database.write();
    film = *transaction.find("Film", 1);
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { film.set("id", frames); }));
    film.set("frames", frames);
    transaction.commit();
    CHECK(database.read().find("Film", 1)->get<Data>("frames") == bytes);
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { frames.write("more"); }));
    CHECK(throws(FREEHOLD_ERROR_VALUE_TOO_LARGE, [&] { database.large_value(std::uint64_t(1) << 32); }));

    const freehold::Snapshot snapshot = database.read();
    const freehold::Object found = *snapshot.find("Film", 1);
    Data part(1000);
    CHECK(found.length("frames") == bytes.size() && found.read_part("frames", 2'999'500, part.data(), part.size()) == 500);
    CHECK(std::equal(part.begin(), part.begin() + 500, bytes.end() - 500) && found.read_part("frames", 3'000'000, part.data(), 1) == 0);
    CHECK(throws(FREEHOLD_ERROR_NOT_IN_WRITE, [&] { freehold::Object(found).truncate("frames", 0); }));
}

static void test_parts(const freehold::Database &database)
{
    freehold::Transaction transaction = database.write();
    freehold::Object film = *transaction.find("Film", 1);
    const std::uint8_t patch[] = {1, 2, 3};
    film.write_part("frames", 999'999, freehold::Bytes{patch, 3});
    CHECK(film.get<Data>("frames")[1'000'001] == 3 && film.length("frames") == 3'000'000);
    film.truncate("frames", 2);
    film.write_part("frames", FREEHOLD_AT_END, freehold::Bytes{patch, 3});
    CHECK(film.get<Data>("frames") == (Data{0, 31, 1, 2, 3}));
    film.write_part("title", 0, "Metropolis");
    film.write_part("title", 5, "!");
    CHECK(film.get<std::string>("title") == "Metro!olis");
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { film.write_part("title", 11, "!"); }));
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { film.length("id"); }));
    film.remove();
    CHECK(throws(FREEHOLD_ERROR_OBJECT_DELETED, [&] { film.truncate("title", 1); }));
}

static void test_sequences(const freehold::Database &database)
{
    database.write([](freehold::Transaction &transaction) {
        CHECK(!transaction.last_number("Film", "reel"));
        CHECK(transaction.next_number("Film", "reel") == 1 && transaction.next_number("Film", "reel") == 2);
        CHECK(transaction.next_number("Film", "other") == 1);
        transaction.set_last_number("Film", "reel", 99);
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.set_last_number("Film", "reel", 5); }));
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.next_number("Film", ""); }));
    });
    CHECK(database.write().next_number("Film", "reel") == 100);
    CHECK(database.read().last_number("Film", "reel") == 99);
}

void test_large_values(const std::string &folder)
{
    const freehold::Database database(folder + "/large");
    database.write([](freehold::Transaction &transaction) {
        transaction.create_class("Film", {{"id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY}, {"title", FREEHOLD_TYPE_STRING},
                                          {"frames", FREEHOLD_TYPE_DATA}});
        transaction.create("Film", {{"id", 1}});
    });
    test_streaming(database);
    test_parts(database);
    test_sequences(database);
}
