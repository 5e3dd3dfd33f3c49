// SPDX-License-Identifier: Apache-2.0
// Wrong: two threads use an object without a lock, by functions that the libraries have without
// hooks. The argument says which. Without one all is done under a mutex, which is right.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Case {
    const char* name;
    void (*one)();
    void (*other)();
};

std::mutex mutex;
std::map<int, int> map{{1, 1}, {2, 2}, {3, 3}};
std::set<int> set{1};
std::list<int> list;
std::list<int> other_list{1};
std::unordered_map<std::string, int> table{{"abc", 1}};
std::vector<int> vector;
std::deque<int> deque;
std::string string = "a";
std::string key = "abc";
std::wstring wide_string = L"a";
std::shared_ptr<int> pointer = std::make_shared<int>(1);
std::function<void()> function = [] {};
std::ostringstream output;
std::istringstream input{"1 2 ab cd"};
std::locale locale;
std::ostringstream other_output;
std::wostringstream wide_output;
wchar_t wide_text[4] = L"12";
std::tm own_time{};
std::timespec resolution{};
char text[20] = "12";
int numbers[4] = {3, 1, 2, 0};
double whole = 0;
int one_number = 0;
int other_number = 0;
volatile unsigned long result = 0;

int in_order(const void* left, const void* right) {
    return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}
void append() { string += "bcd"; }
void insert() { map.insert({7, 7}); }
void change_text() { text[1] = '3'; }
void change_key() { key[0] = 'b'; }
void print_number() { output << 12; }
void change_wide_text() { wide_text[1] = L'3'; }
using Print = int (*)(const char*);
struct Named {
    const char* name;
    Print print;
};
Named functions[] = {{"puts", std::puts}};
const Named functions_as_well[] = {{"puts", std::puts}, {"none", nullptr}};
volatile int first = 0;

const Case kCases[] = {
    {"map_find", insert, [] { result = map.count(2); }},
    {"map_iteration", insert, [] { result = static_cast<unsigned long>(map.rbegin()->second); }},
    {"map_next", insert, [] { result = map.empty() ? 0 : std::next(map.begin(), 2)->second; }},
    {"map_erase", [] { map.erase(3); }, [] { result = map.count(1); }},
    {"set_insert", [] { set.insert(5); }, [] { set.insert(6); }},
    {"list_push_back", [] { list.push_back(1); }, [] { result = list.empty(); }},
    {"list_splice", [] { list.splice(list.begin(), other_list); },
     [] { result = other_list.empty(); }},
    {"table_key", change_key, [] { result = table.count(key); }},
    {"table_insert", [] { table["def"] = 2; }, [] { result = table.count("def"); }},
    {"vector_push_back", [] { vector.push_back(1); }, [] { vector.push_back(2); }},
    {"deque_push_back", [] { deque.push_back(1); }, [] { result = deque.size(); }},
    {"string_append", append, [] { result = string.size(); }},
    {"string_assign", [] { string = std::string(30, 'x'); }, [] { key = string; }},
    {"string_compare", change_key, [] { result = key == "abd" ? 1 : 0; }},
    {"string_number", change_key, [] { result = std::strtoul(key.c_str(), nullptr, 16); }},
    {"wide_string", [] { wide_string += L"b"; }, [] { wide_string += L"c"; }},
    {"shared_ptr", [] { pointer.reset(); }, [] { result = pointer ? 1 : 0; }},
    {"shared_ptr_atomic", [] { pointer = nullptr; },
     [] { result = std::atomic_load(&pointer) ? 1 : 0; }},
    {"function", [] { function = nullptr; },
     [] {
         if (function) {
             function();
         }
     }},
    {"stream_numbers", print_number, [] { output << 1.5; }},
    {"stream_texts", [] { output << "a"; }, [] { output << key; }},
    {"stream_look", print_number, [] { result = output.str().size(); }},
    {"stream_state", print_number, [] { output.clear(); }},
    {"stream_swap", print_number, [] { other_output.swap(output); }},
    {"stream_move", print_number, [] { other_output = std::move(output); }},
    {"stream_made", print_number, [] { std::ostringstream made(std::move(output)); }},
    {"stream_locale", print_number, [] { output.imbue(std::locale::classic()); }},
    {"stream_format", print_number, [] { output.copyfmt(other_output); }},
    {"stream_precision", print_number, [] { output.precision(3); }},
    {"stream_of_buffer", [] { output << input.rdbuf(); }, [] { other_output << input.rdbuf(); }},
    {"stream_of_wide_text", change_wide_text, [] { wide_output << wide_text; }},
    {"stream_of_text_as_wide", change_text, [] { wide_output << text; }},
    {"stream_of_key", change_key, [] { output << key; }},
    {"stream_of_text", change_text, [] { std::cout << text; }},
    {"stream_input", [] { input >> one_number; }, [] { input >> other_number; }},
    {"stream_result", [] { input >> one_number; },
     [] { result = static_cast<unsigned long>(one_number); }},
    {"stream_words", [] { input >> key; }, [] { result = key.size(); }},
    {"locale", [] { locale = std::locale::classic(); }, [] { std::locale copy(locale); }},
    {"strcpy", [] { std::strcpy(text, "45"); }, [] { result = std::strlen(text); }},
    {"strdup", change_text, [] { std::free(strdup(text)); }},
    {"snprintf_to", [] { std::snprintf(text, sizeof(text), "%d", 12); },
     [] { result = text[1] == '2' ? 1 : 0; }},
    {"snprintf_from", change_text,
     [] {
         char copy[20];
         std::snprintf(copy, sizeof(copy), "%d %.1f %*d %s", 1, 2.5, 3, 4, text);
     }},
    {"printf", change_text, [] { std::printf("%5.3s\n", text); }},
    {"puts", change_text, [] { std::puts(text); }},
    {"puts_of_table", change_text, [] { functions[first].print(text); }},
    {"puts_of_constants", change_text, [] { functions_as_well[first].print(text); }},
    {"strftime_format", change_text,
     [] {
         char copy[20];
         result = std::strftime(copy, sizeof(copy), text, &own_time);
     }},
    {"strftime_member", [] { own_time.tm_min = 2; },
     [] {
         char copy[20];
         result = std::strftime(copy, sizeof(copy), "%-Oe %T", &own_time);
     }},
    {"strtol", change_text, [] { result = std::strtoul(text, nullptr, 10); }},
    {"strtod", change_text, [] { result = std::strtod(text, nullptr) > 1 ? 1 : 0; }},
    {"qsort", [] { std::qsort(numbers, 4, sizeof(int), in_order); },
     [] { result = numbers[1] == 1 ? 1 : 0; }},
    {"strspn", change_text, [] { result = std::strspn(text, "123"); }},
    {"nan", change_text, [] { result = std::isnan(std::nan(text)) ? 1 : 0; }},
    {"clock_getres", [] { clock_getres(CLOCK_MONOTONIC, &resolution); },
     [] { result = static_cast<unsigned long>(resolution.tv_nsec); }},
    {"exception_of_text", change_text, [] { std::runtime_error error(text); }},
};

bool is_of(const char* name, const Case& one) { return std::strcmp(name, one.name) == 0; }

void run_right(void (*Case::*what)()) {
    const std::lock_guard<std::mutex> guard(mutex);
    for (const Case& one : kCases) {
        (one.*what)();
    }
}

int main(int count, char** arguments) {
    if (count < 2) {
        std::thread thread([] { run_right(&Case::one); });
        run_right(&Case::other);
        thread.join();
        return 0;
    }
    for (const Case& one : kCases) {
        if (is_of(arguments[1], one)) {
            std::thread thread(one.one);
            one.other();
            thread.join();
            return 0;
        }
    }
    return 1;
}
