// SPDX-License-Identifier: Apache-2.0
// Right: what two threads only read by functions of the libraries, what each has for itself, the
// standard streams, and a std::shared_ptr by its atomic functions. Trees and lists are what they
// should be.
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

std::map<int, int> map{{1, 1}, {2, 2}, {3, 3}};
std::list<int> list{1, 2};
std::string key = "a longer text than one that stands in the string";
std::ostringstream output;
std::locale locale;
char text[20] = "12.5";
std::shared_ptr<int> pointer = std::make_shared<int>(1);

int in_order(const void* left, const void* right) {
    return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

void use() {
    int sum = 0;
    for (const auto& [name, value] : map) {
        sum += value;
    }
    assert(sum == 6 && map.count(2) == 1 && std::prev(map.end())->first == 3 && list.size() == 2);
    assert(*key.begin() == 'a' && key[2] == 'l' && key.find("text") == 9);
    const std::string copy(key);
    std::ostringstream own;
    own << copy << ' ' << 12 << text << 1.5 << std::endl;
    std::istringstream numbers("7 8.5 word");
    int whole = 0;
    double real = 0;
    std::string word;
    numbers >> whole >> real >> word;
    assert(whole == 7 && real == 8.5 && word == "word" && numbers.eof() && output.str() == "ab");
    const std::locale same(locale);
    char printed[80];
    std::snprintf(printed, sizeof(printed), "%.*s|%5d|%-3s|%ld|%.1f|%c%%", 2, text, 1, "x", 2L, 2.5,
                  'c');
    assert(std::strcmp(printed, "12|    1|x  |2|2.5|c%") == 0);
    char* end = nullptr;
    assert(std::strtol(text, &end, 10) == 12 && end == text + 2 &&
           std::strtod(text, nullptr) == 12.5);
    int own_numbers[4] = {3, 1, 2, 0};
    std::qsort(own_numbers, 4, sizeof(int), in_order);
    assert(own_numbers[0] == 0 && own_numbers[3] == 3 && std::strspn(text, "12") == 2);
    std::cout << key << 1 << '\n';
    std::printf("%s\n", text);
}

unsigned draw(unsigned below) {
    static unsigned state = 12345;
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

struct Itself {
    const int& operator()(const int& value) const { return value; }
};
void change_trees() {
    std::_Rb_tree<int, int, Itself, std::less<int>> tree;
    bool is_in[24] = {};
    for (int step = 0; step < 600; ++step) {
        const int value = static_cast<int>(draw(24));
        assert(is_in[value] ? tree.erase(value) == 1 : tree._M_insert_unique(value).second);
        is_in[value] = !is_in[value];
        assert(tree.__rb_verify() && std::is_sorted(tree.begin(), tree.end()));
        assert(std::all_of(tree.rbegin(), tree.rend(), [&](int one) { return is_in[one]; }));
    }
}

void change_lists() {
    std::list<int> list_of_nodes;
    std::list<int> other;
    std::vector<int> same;
    std::vector<int> same_other;
    for (int step = 0; step < 200; ++step) {
        const auto at = static_cast<std::ptrdiff_t>(draw(static_cast<unsigned>(same.size()) + 1));
        switch (draw(5)) {
            case 0:
                list_of_nodes.push_back(step);
                same.push_back(step);
                break;
            case 1:
                list_of_nodes.reverse();
                std::reverse(same.begin(), same.end());
                break;
            case 2:
                list_of_nodes.swap(other);
                same.swap(same_other);
                break;
            case 3:
                list_of_nodes.splice(std::next(list_of_nodes.begin(), at), other);
                same.insert(same.begin() + at, same_other.begin(), same_other.end());
                same_other.clear();
                break;
            default:
                list_of_nodes.erase(list_of_nodes.begin(), std::next(list_of_nodes.begin(), at));
                same.erase(same.begin(), same.begin() + at);
        }
        assert(std::equal(list_of_nodes.begin(), list_of_nodes.end(), same.begin(), same.end()));
        assert(std::equal(other.rbegin(), other.rend(), same_other.rbegin(), same_other.rend()));
    }
}

int main() {
    output << "ab";
    change_trees();
    change_lists();
    std::thread thread([] {
        use();
        std::atomic_store(&pointer, std::make_shared<int>(2));
    });
    use();
    const auto seen = std::atomic_load(&pointer);
    assert(*seen == 1 || *seen == 2);
    thread.join();
    assert(*pointer == 2);
}
