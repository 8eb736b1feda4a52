// The places of the geography workload, as Sources/FreeholdBench/Places.swift has them.
#pragma once
#include "common.hpp"
#include <cmath>

namespace bench {

// A place in millionths of a degree, so that every driver has the same bits.
struct Place {
    int64_t north, east;
    double latitude() const { return double(north) / 1e6; }
    double longitude() const { return double(east) / 1e6; }
};

// Places between 60 degrees south and 60 degrees north; centres of searches are at least 10 degrees from the edges.
struct Places {
    // About a thousandth of the places are within a circle: in radians.
    static constexpr double RADIUS = 0.0593;
    SplitMix64 stream;

    explicit Places(uint64_t seed) : stream(seed) {}
    Place next() { return draw(60, 180); }
    Place centre() { return draw(50, 170); }
    Place draw(int64_t north, int64_t east)
    {
        const int64_t first = int64_t(stream.next() % uint64_t(2'000'000 * north + 1)) - 1'000'000 * north;
        return {first, int64_t(stream.next() % uint64_t(2'000'000 * east + 1)) - 1'000'000 * east};
    }
};

// A point as a unit vector: the square of the chord between two of them grows with their distance.
struct UnitVector {
    double x, y, z;
    UnitVector(double latitude, double longitude)
    {
        const double degree = M_PI / 180, north = latitude * degree, east = longitude * degree;
        x = cos(north) * cos(east);
        y = cos(north) * sin(east);
        z = sin(north);
    }
    double chord2(const UnitVector& other) const
    {
        const double dx = x - other.x, dy = y - other.y, dz = z - other.z;
        return dx * dx + dy * dy + dz * dz;
    }
};

} // namespace bench
