// The C++ program of the bank that four languages keep in one file; README.md tells the rules. member DATABASE NAME SEED
#include <freehold.hpp>

#include <cstdlib>
#include <iostream>
#include <numeric>

using Keys = std::vector<freehold::Key>;

static constexpr int accounts = 12, total = accounts * 1000;

static void require(bool holds, const char *what)
{
    if (!holds) throw std::runtime_error(std::string("not so: ") + what);
}

static std::uint64_t state;

static std::uint64_t chosen(std::uint64_t bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
}

static void check_total(const freehold::Reader &reader)
{
    const std::vector<std::int64_t> balances = reader.column<std::int64_t>("Account", "balance");
    require(balances.size() == accounts && std::accumulate(balances.begin(), balances.end(), std::int64_t{0}) == total, "the balances add up");
}

// Keeps a copy of the accounts' order by what it is told.
class Observer {
public:
    explicit Observer(const freehold::Database &database)
        : watch_(database.watch()), order_(watch_.query("Account", "SORT(balance DESC, id ASC)")),
          stop_(watch_.query("Control", "stopped = true")), copy_(watch_.keys(order_)) {}

    void observe() { observe(std::chrono::milliseconds(0)); }

    // How many moves there were in the version that closed the bank.
    std::uint64_t last()
    {
        while (watch_.count(stop_) == 0) require(observe(std::chrono::minutes(1)), "the watch is told");
        return seen_;
    }

private:
    bool observe(std::chrono::milliseconds timeout)
    {
        const bool moved = watch_.deliver(timeout, [this](const freehold::Delivery &delivery) { follow(delivery); });
        require(watch_.keys(order_) == copy_, "the copy by positions is what there is");
        return moved;
    }

    void follow(const freehold::Delivery &delivery)
    {
        check_total(delivery.after());
        seen_ = delivery.after().count("Move");
        if (delivery.answer() != order_) return;
        const freehold::Positions deletions = delivery.deletions();
        for (std::size_t n = deletions.size(); n-- > 0;) copy_.erase(copy_.begin() + static_cast<std::ptrdiff_t>(deletions[n]));
        for (const std::uint64_t place : delivery.insertions())
            copy_.insert(copy_.begin() + static_cast<std::ptrdiff_t>(place), watch_.keys(order_, place, 1)[0]);
    }

    freehold::Watch watch_;
    freehold_answer_t order_, stop_;
    Keys copy_;
    std::uint64_t seen_ = 0;
};

static std::int64_t add_to(freehold::Object object, std::string_view property, std::int64_t difference)
{
    const std::int64_t sum = object.get<std::int64_t>(property) + difference;
    object.set(property, sum);
    return sum;
}

// False when the bank is closed.
static bool move_amount(const freehold::Database &database, const std::string &name)
{
    const std::uint64_t source = chosen(accounts), target = (source + 1 + chosen(accounts - 1)) % accounts;
    const std::int64_t amount = 1 + static_cast<std::int64_t>(chosen(10));
    freehold::Transaction transaction = database.write(std::chrono::minutes(1));
    if (transaction.find("Control", 1)->get<bool>("stopped")) return false;
    add_to(*transaction.find("Account", source), "balance", -amount);
    add_to(*transaction.find("Account", target), "balance", amount);
    const std::int64_t number = add_to(*transaction.find("Counter", name), "count", 1);
    transaction.create("Move", {{"by", name}, {"number", number}, {"amount", amount}, {"source", source}, {"target", target}});
    transaction.commit(chosen(16) == 0);
    std::cout << number << std::endl;
    return true;
}

static void look(const freehold::Database &database, const std::string &name)
{
    const freehold::Snapshot snapshot = database.read();
    check_total(snapshot);
    require(snapshot.prepare("Move", "by = %@", name).count() == snapshot.find("Counter", name)->get<std::uint64_t>("count"),
            "the moves are as many as counted");
}

int main(int count, char **arguments)
{
    if (count != 4) return 2;
    const std::string name = arguments[2];
    state = std::strtoull(arguments[3], nullptr, 10);
    try {
        freehold::Options options;
        options.must_exist = true;
        const freehold::Database database(arguments[1], options);
        {
            freehold::Transaction transaction = database.write(std::chrono::minutes(1));
            transaction.create("Counter", {{"name", name}});
            transaction.commit(false);
        }
        Observer observer(database);
        while (move_amount(database, name)) {
            if (chosen(4) == 0) observer.observe();
            if (chosen(8) == 0) look(database, name);
        }
        const std::uint64_t last = observer.last();
        look(database, name);
        std::cout << "saw " << last << std::endl;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
