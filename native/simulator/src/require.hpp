// How a check of a model says what is wrong, and where.
#pragma once

#include "planecast/simulator/simulate.hpp"

#include <set>
#include <string>
#include <vector>

namespace planecast::sim
{

inline void require(bool holds, const std::string &where, const std::string &what)
{
    if (!holds) {
        throw ModelError(where + ": " + what);
    }
}

// A field's path: one of a list.
inline std::string item(const std::string &list, std::size_t i)
{
    return list + "[" + std::to_string(i) + "]";
}

// The names of a list; each must be there, and once.
template <class Named>
std::set<std::string> names_of(const std::vector<Named> &all, const std::string &list)
{
    std::set<std::string> names;
    for (std::size_t i = 0; i < all.size(); ++i) {
        require(!all[i].name.empty(), item(list, i) + ".name", "must not be empty");
        require(names.insert(all[i].name).second, item(list, i) + ".name",
                "\"" + all[i].name + "\" is there twice");
    }
    return names;
}

inline void require_name(const std::set<std::string> &names, const std::string &name,
                         const std::string &where, const char *kind)
{
    std::string there;
    for (const std::string &known : names) {
        there += (there.empty() ? "there are " : ", ") + known;
    }
    require(names.contains(name), where,
            "no " + std::string(kind) + " is called \"" + name + "\"; " +
                (there.empty() ? "there are none" : there));
}

} // namespace planecast::sim
