// Objects within others, decimal numbers, the classes that objects are of, and indexes over several properties.
#include "check.hpp"

static void test_embedding(freehold::Transaction &transaction)
{
    transaction.create_classes({{"Room", {{"size", FREEHOLD_TYPE_INT}}, {}, true},
                                {"House", {{"kitchen", FREEHOLD_TYPE_LINK, 0, "Room"},
                                           {"rooms", FREEHOLD_TYPE_LINK, 0, "Room", {FREEHOLD_TYPE_LIST}},
                                           {"named", FREEHOLD_TYPE_LINK, 0, "Room", {FREEHOLD_TYPE_MAP}}}}});
    freehold::Object house = transaction.create("House");
    const freehold::Object kitchen = house.embed("kitchen", "Room", {{"size", 12}});
    CHECK(*house.link("kitchen") == kitchen && kitchen.get<int>("size") == 12 && transaction.count("Room") == 1);
    house.embed("kitchen", "Room");
    CHECK(!kitchen.exists() && house.link("kitchen")->get<int>("size") == 0);
    freehold::Collection rooms = house.collection("rooms"), named = house.collection("named");
    rooms.embed("Room", {{"size", 1}});
    rooms.embed("Room", {{"size", 2}}, 0);
    CHECK(rooms.size() == 2 && rooms.object(0).get<int>("size") == 2 && rooms.kind() == FREEHOLD_TYPE_LIST);
    rooms.swap(0, 1);
    CHECK(rooms.object(0).get<int>("size") == 1 && rooms.object(1).get<int>("size") == 2);
    named.embed("Room", {{"size", 3}}, "hall");
    CHECK(named.key(0) == "hall" && named.object(0).get<int>("size") == 3 && named.kind() == FREEHOLD_TYPE_MAP);
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { house.embed("rooms", "Room"); }));
    house.remove();
    CHECK(transaction.count("Room") == 0 && throws(FREEHOLD_ERROR_OBJECT_DELETED, [&] { house.embed("kitchen", "Room"); }));
}

struct Price {
    freehold::Decimal amount;
    std::optional<freehold::Decimal> discount;
};

template <> struct freehold::Mapping<Price> {
    static constexpr std::string_view name = "Price";
    static constexpr auto members = std::make_tuple(
        freehold::member("amount", &Price::amount), freehold::member("discount", &Price::discount));
};

static void test_decimals(freehold::Transaction &transaction)
{
    transaction.create_class<Price>();
    CHECK(transaction.describe("Price").properties[0].type == FREEHOLD_TYPE_DECIMAL);
    freehold::Object price = transaction.add(Price{freehold::Decimal("19.90"), std::nullopt});
    CHECK(price.load<Price>().amount.text() == "19.90" && !price.load<Price>().discount);
    price.set("discount", freehold::Decimal("-1E+3"));
    CHECK(price.get<freehold::Decimal>("discount") == freehold::Decimal("-1E+3"));
    CHECK(freehold::Decimal("1.0") != freehold::Decimal("1.00") && freehold::Decimal() == freehold::Decimal("0"));
    CHECK(transaction.query("Price", "amount > %@", freehold::Decimal("19.8")).size() == 1);
    CHECK(throws(FREEHOLD_ERROR_MALFORMED_INPUT, [] { freehold::Decimal("19,90"); }));
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { price.get<double>("amount"); }));
}

static void test_classes(freehold::Transaction &transaction)
{
    transaction.create_classes({{"Animal", {{"name", FREEHOLD_TYPE_STRING}, {"age", FREEHOLD_TYPE_INT}}}, {"Dog", {}, "Animal"}});
    transaction.create("Animal", {{"name", "Tux"}});
    freehold::Object dog = transaction.create("Dog", {{"name", "Rex"}});
    const freehold::Results found = transaction.query("Animal", "TRUEPREDICATE SORT(name ASC)");
    CHECK(found.size() == 2 && found[0].class_name() == "Dog" && found[1].class_name() == "Animal");
    dog.remove();
    CHECK(throws(FREEHOLD_ERROR_OBJECT_DELETED, [&] { dog.class_name(); }));
    transaction.add_index("Animal", {"age", "name"}, true);
    const std::vector<freehold::IndexDefinition> indexes = transaction.indexes("Animal");
    CHECK(indexes.size() == 1 && indexes[0].unique && indexes[0].properties == (std::vector<std::string_view>{"age", "name"}));
}

void test_embedding(const std::string &folder)
{
    const freehold::Database database(folder + "/embedding");
    freehold::Transaction transaction = database.write();
    test_embedding(transaction);
    test_decimals(transaction);
    test_classes(transaction);
    transaction.commit();
    CHECK(database.check() == 0);
}
