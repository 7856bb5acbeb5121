#include "field_check.hpp"

#include "planecast/simulator/simulate.hpp"

#include <cstdio>
#include <string>
#include <type_traits>

namespace planecast::sim
{

namespace
{

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

void check_number(double value, Range range, const std::string &path)
{
    if (value >= range.low && value <= range.high) { // false for NaN
        return;
    }
    throw ModelError(path + ": " + number(value) + " is outside " + number(range.low) + " … " +
                     number(range.high));
}

template <class Owner> void check_struct(const Owner &owner, const std::string &path);

// One field: what it is decides how it's checked.
template <class Owner> struct Checker {
    const Owner &owner;
    const std::string &path;

    std::string at(const char *name) const { return path.empty() ? name : path + "." + name; }

    template <class Member>
    void operator()(const char *name, Member Owner::*member, Range range, const char *) const
    {
        check_ranged(owner.*member, range, at(name));
    }
    template <class Member>
    void operator()(const char *name, Member Owner::*member, const char *) const
    {
        check_nested(owner.*member, at(name));
    }

    template <class Value>
    static void check_ranged(const Value &value, Range range, const std::string &where)
    {
        if constexpr (std::is_arithmetic_v<Value>) {
            check_number(static_cast<double>(value), range, where);
        } else {
            for (std::size_t i = 0; i < value.size(); ++i) {
                check_number(static_cast<double>(value[i]), range,
                             where + "[" + std::to_string(i) + "]");
            }
        }
    }
    template <class Value> static void check_nested(const Value &value, const std::string &where)
    {
        if constexpr (std::is_same_v<Value, bool> || std::is_enum_v<Value> ||
                      std::is_same_v<Value, std::string> ||
                      std::is_same_v<Value, std::vector<std::string>>) {
            return;
        } else if constexpr (requires { value.size(); }) {
            for (std::size_t i = 0; i < value.size(); ++i) {
                check_struct(value[i], where + "[" + std::to_string(i) + "]");
            }
        } else {
            check_struct(value, where);
        }
    }
};

template <class Owner> void check_struct(const Owner &owner, const std::string &path)
{
    Owner::describe(Checker<Owner>{owner, path});
}

} // namespace

void check_fields(const Model &model)
{
    check_struct(model, "");
}

} // namespace planecast::sim
