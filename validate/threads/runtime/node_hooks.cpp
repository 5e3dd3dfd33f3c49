// SPDX-License-Identifier: Apache-2.0

// The functions of nodes that std::map, std::set and std::list call in the C++ library, which has
// no hooks: here in its place, with every access of a node seen. Their names and what they leave
// behind are the library's (they are part of its ABI); the trees are red and black, as there.
#include <list>
#include <map>
#include <type_traits>

#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {
namespace {

using Node = std::_Rb_tree_node_base;
using ListNode = std::__detail::_List_node_base;

// Reads and writes nodes for the call at `site`.
class Nodes {
  public:
    explicit Nodes(const void* site) : site_(site) {}

    template <class Member>
    [[nodiscard]] Member get(const Member& member) const {
        // NOLINTNEXTLINE(bugprone-sizeof-expression): of the pointer
        note_plain(&member, sizeof(Member), false, site_);
        return member;
    }
    template <class Member>
    void set(Member& member, std::type_identity_t<Member> value) const {
        // NOLINTNEXTLINE(bugprone-sizeof-expression): of the pointer
        note_plain(&member, sizeof(Member), true, site_);
        member = value;
    }

    // The root, the first and the last. An insertion or an erasure counts as one that writes them
    // whatever it changes: no member of a map that looks for something may run beside it.
    void change_header(const Node& header) const {
        note_plain(&header._M_parent, 3 * sizeof(Node*), true, site_);
    }

  private:
    const void* site_;
};

class Tree : Nodes {
  public:
    using Nodes::Nodes;

    // The next in order to the right; with `kLeft` and `kRight` changed, the one before. The header
    // stands behind the last.
    template <Node* Node::*kLeft, Node* Node::*kRight>
    [[nodiscard]] Node* next(Node* node) const {
        if (Node* below = get(node->*kRight); below != nullptr) {
            return outermost<kLeft>(below);
        }
        Node* above = get(node->_M_parent);
        while (node == get(above->*kRight)) {
            node = above;
            above = get(above->_M_parent);
        }
        // The header is the root's parent, and the root the header's.
        return get(node->*kRight) == above ? node : above;
    }
    template <Node* Node::*kSide>
    [[nodiscard]] Node* outermost(Node* node) const {
        while (Node* below = get(node->*kSide)) {
            node = below;
        }
        return node;
    }
    [[nodiscard]] Node* before(Node* node) const {
        const bool is_header =
            get(node->_M_color) == std::_S_red && get(get(node->_M_parent)->_M_parent) == node;
        return is_header ? get(node->_M_right) : next<&Node::_M_right, &Node::_M_left>(node);
    }

    void insert(bool is_left, Node* node, Node* parent, Node& header) const {
        change_header(header);
        set(node->_M_parent, parent);
        set(node->_M_left, nullptr);
        set(node->_M_right, nullptr);
        set(node->_M_color, std::_S_red);
        if (is_left) {
            set(parent->_M_left, node);
            if (parent == &header) {
                set(header._M_parent, node);
                set(header._M_right, node);
            } else if (parent == get(header._M_left)) {
                set(header._M_left, node);
            }
        } else {
            set(parent->_M_right, node);
            if (parent == get(header._M_right)) {
                set(header._M_right, node);
            }
        }
        mend_red(node, header);
    }

    // Returns what is no longer in the tree.
    Node* erase(Node* node, Node& header) const {
        change_header(header);
        Node* moved = get(node->_M_left);  // takes the place of what goes; may be none
        if (moved == nullptr) {
            moved = get(node->_M_right);
        }
        const bool has_two = get(node->_M_left) != nullptr && get(node->_M_right) != nullptr;
        Node* parent = nullptr;  // of `moved`
        auto color = get(node->_M_color);
        if (has_two) {
            Node* heir = outermost<&Node::_M_left>(get(node->_M_right));
            moved = get(heir->_M_right);
            color = get(heir->_M_color);
            parent = put_in_place(heir, node, moved, header);
        } else {
            parent = get(node->_M_parent);
            if (moved != nullptr) {
                set(moved->_M_parent, parent);
            }
            replace(node, moved, header);
            find_ends(node, moved, parent, header);
        }
        if (color == std::_S_black) {
            mend_black(moved, parent, header);
        }
        return node;
    }

  private:
    // `node` hangs in the place of `old`.
    void replace(const Node* old, Node* node, Node& header) const {
        Node* parent = get(old->_M_parent);
        if (get(header._M_parent) == old) {
            set(header._M_parent, node);
        } else if (get(parent->_M_left) == old) {
            set(parent->_M_left, node);
        } else {
            set(parent->_M_right, node);
        }
    }

    // `node`, which had at most `below`, goes: it may have been the first or the last.
    void find_ends(const Node* node, Node* below, Node* parent, Node& header) const {
        if (get(header._M_left) == node) {
            set(header._M_left, below == nullptr ? parent : outermost<&Node::_M_left>(below));
        }
        if (get(header._M_right) == node) {
            set(header._M_right, below == nullptr ? parent : outermost<&Node::_M_right>(below));
        }
    }

    // The heir of a node with two below it takes its place, `below` the heir's. Returns the parent
    // of the latter.
    Node* put_in_place(Node* heir, const Node* node, Node* below, Node& header) const {
        Node* left = get(node->_M_left);
        Node* right = get(node->_M_right);
        set(left->_M_parent, heir);
        set(heir->_M_left, left);
        Node* parent = heir;
        if (heir != right) {
            parent = get(heir->_M_parent);
            if (below != nullptr) {
                set(below->_M_parent, parent);
            }
            set(parent->_M_left, below);
            set(heir->_M_right, right);
            set(right->_M_parent, heir);
        }
        replace(node, heir, header);
        set(heir->_M_parent, get(node->_M_parent));
        set(heir->_M_color, get(node->_M_color));
        return parent;
    }

    // The right child of `node` comes into its place, and `node` to the left below that.
    template <Node* Node::*kLeft, Node* Node::*kRight>
    void rotate(Node* node, Node& header) const {
        Node* up = get(node->*kRight);
        Node* between = get(up->*kLeft);
        set(node->*kRight, between);
        if (between != nullptr) {
            set(between->_M_parent, node);
        }
        set(up->_M_parent, get(node->_M_parent));
        replace(node, up, header);
        set(up->*kLeft, node);
        set(node->_M_parent, up);
    }

    [[nodiscard]] bool is_black(const Node* node) const {
        return node == nullptr || get(node->_M_color) == std::_S_black;
    }

    void mend_red(Node* node, Node& header) const {
        while (node != get(header._M_parent) && !is_black(get(node->_M_parent))) {
            Node* above = get(get(node->_M_parent)->_M_parent);
            node = get(node->_M_parent) == get(above->_M_left)
                       ? mend_red_at<&Node::_M_left, &Node::_M_right>(node, above, header)
                       : mend_red_at<&Node::_M_right, &Node::_M_left>(node, above, header);
        }
        set(get(header._M_parent)->_M_color, std::_S_black);
    }

    // The parent of `node` is red, and the left below `above`. Returns where to go on.
    template <Node* Node::*kLeft, Node* Node::*kRight>
    Node* mend_red_at(Node* node, Node* above, Node& header) const {
        Node* uncle = get(above->*kRight);
        if (!is_black(uncle)) {
            set(get(node->_M_parent)->_M_color, std::_S_black);
            set(uncle->_M_color, std::_S_black);
            set(above->_M_color, std::_S_red);
            return above;
        }
        if (node == get(get(node->_M_parent)->*kRight)) {
            node = get(node->_M_parent);
            rotate<kLeft, kRight>(node, header);
        }
        set(get(node->_M_parent)->_M_color, std::_S_black);
        set(above->_M_color, std::_S_red);
        rotate<kRight, kLeft>(above, header);
        return node;
    }

    // One black too few on the way through `node`, which may be none.
    void mend_black(Node* node, Node* parent, Node& header) const {
        while (node != get(header._M_parent) && is_black(node)) {
            const bool goes_on =
                node == get(parent->_M_left)
                    ? mend_black_at<&Node::_M_left, &Node::_M_right>(parent, header)
                    : mend_black_at<&Node::_M_right, &Node::_M_left>(parent, header);
            if (!goes_on) {
                break;
            }
            node = parent;
            parent = get(parent->_M_parent);
        }
        if (node != nullptr) {
            set(node->_M_color, std::_S_black);
        }
    }

    // One black too few at the left of `parent`. True: now it is too few at `parent` itself.
    template <Node* Node::*kLeft, Node* Node::*kRight>
    bool mend_black_at(Node* parent, Node& header) const {
        Node* sibling = get(parent->*kRight);
        if (!is_black(sibling)) {
            set(sibling->_M_color, std::_S_black);
            set(parent->_M_color, std::_S_red);
            rotate<kLeft, kRight>(parent, header);
            sibling = get(parent->*kRight);
        }
        if (is_black(get(sibling->*kLeft)) && is_black(get(sibling->*kRight))) {
            set(sibling->_M_color, std::_S_red);
            return true;
        }
        if (is_black(get(sibling->*kRight))) {
            set(get(sibling->*kLeft)->_M_color, std::_S_black);
            set(sibling->_M_color, std::_S_red);
            rotate<kRight, kLeft>(sibling, header);
            sibling = get(parent->*kRight);
        }
        set(sibling->_M_color, get(parent->_M_color));
        set(parent->_M_color, std::_S_black);
        set(get(sibling->*kRight)->_M_color, std::_S_black);
        rotate<kLeft, kRight>(parent, header);
        return false;
    }
};

class List : Nodes {
  public:
    using Nodes::Nodes;

    void hook(ListNode* node, ListNode* before) const {
        set(node->_M_next, before);
        ListNode* previous = get(before->_M_prev);
        set(node->_M_prev, previous);
        set(previous->_M_next, node);
        set(before->_M_prev, node);
    }
    void unhook(const ListNode* node) const {
        ListNode* next = get(node->_M_next);
        ListNode* previous = get(node->_M_prev);
        set(previous->_M_next, next);
        set(next->_M_prev, previous);
    }
    // From `first` up to the one before `end`, which may stand in another list.
    void transfer(ListNode* before, ListNode* first, ListNode* end) const {
        if (before == end) {
            return;
        }
        ListNode* last = get(end->_M_prev);
        ListNode* before_first = get(first->_M_prev);
        ListNode* previous = get(before->_M_prev);
        set(last->_M_next, before);
        set(before_first->_M_next, end);
        set(previous->_M_next, first);
        set(before->_M_prev, last);
        set(end->_M_prev, before_first);
        set(first->_M_prev, previous);
    }
    void reverse(ListNode* list) const {
        ListNode* node = list;
        do {
            ListNode* next = get(node->_M_next);
            set(node->_M_next, get(node->_M_prev));
            set(node->_M_prev, next);
            node = next;
        } while (node != list);
    }
    void swap(ListNode& one, ListNode& other) const {
        const ListNode old_one{get(one._M_next), get(one._M_prev)};
        const ListNode old_other{get(other._M_next), get(other._M_prev)};
        take(one, old_other, old_other._M_next == &other);
        take(other, old_one, old_one._M_next == &one);
    }

  private:
    void take(ListNode& to, const ListNode& from, bool is_empty) const {
        set(to._M_next, is_empty ? &to : from._M_next);
        set(to._M_prev, is_empty ? &to : from._M_prev);
        if (!is_empty) {
            set(from._M_next->_M_prev, &to);
            set(from._M_prev->_M_next, &to);
        }
    }
};

}  // namespace
}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

#define LOCKKEEPER_HERE __builtin_return_address(0)
// By the name that the function in the library has for the linker. Weak: a program that has
// libstdc++ within itself is linked all the same, and refused.
#define LOCKKEEPER_IN_PLACE_OF(NAME) asm(NAME) __attribute__((weak))

extern "C" {

Node* lockkeeper_tree_next(Node* node) noexcept
    LOCKKEEPER_IN_PLACE_OF("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base");
Node* lockkeeper_tree_next_constant(Node* node) noexcept
    LOCKKEEPER_IN_PLACE_OF("_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base");
Node* lockkeeper_tree_before(Node* node) noexcept
    LOCKKEEPER_IN_PLACE_OF("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base");
Node* lockkeeper_tree_before_constant(Node* node) noexcept
    LOCKKEEPER_IN_PLACE_OF("_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base");
void lockkeeper_tree_insert(bool is_left, Node* node, Node* parent, Node& header) noexcept
    LOCKKEEPER_IN_PLACE_OF("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
Node* lockkeeper_tree_erase(Node* node, Node& header) noexcept
    LOCKKEEPER_IN_PLACE_OF("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");
void lockkeeper_list_hook(ListNode* node, ListNode* before) noexcept
    LOCKKEEPER_IN_PLACE_OF("_ZNSt8__detail15_List_node_base7_M_hookEPS0_");
void lockkeeper_list_unhook(ListNode* node) noexcept
    LOCKKEEPER_IN_PLACE_OF("_ZNSt8__detail15_List_node_base9_M_unhookEv");
void lockkeeper_list_transfer(ListNode* before, ListNode* first, ListNode* end) noexcept
    LOCKKEEPER_IN_PLACE_OF("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_");
void lockkeeper_list_reverse(ListNode* list) noexcept
    LOCKKEEPER_IN_PLACE_OF("_ZNSt8__detail15_List_node_base10_M_reverseEv");
void lockkeeper_list_swap(ListNode& one, ListNode& other) noexcept
    LOCKKEEPER_IN_PLACE_OF("_ZNSt8__detail15_List_node_base4swapERS0_S1_");

Node* lockkeeper_tree_next(Node* node) noexcept {
    return Tree(LOCKKEEPER_HERE).next<&Node::_M_left, &Node::_M_right>(node);
}
Node* lockkeeper_tree_next_constant(Node* node) noexcept {
    return Tree(LOCKKEEPER_HERE).next<&Node::_M_left, &Node::_M_right>(node);
}
Node* lockkeeper_tree_before(Node* node) noexcept { return Tree(LOCKKEEPER_HERE).before(node); }
Node* lockkeeper_tree_before_constant(Node* node) noexcept {
    return Tree(LOCKKEEPER_HERE).before(node);
}
void lockkeeper_tree_insert(bool is_left, Node* node, Node* parent, Node& header) noexcept {
    Tree(LOCKKEEPER_HERE).insert(is_left, node, parent, header);
}
Node* lockkeeper_tree_erase(Node* node, Node& header) noexcept {
    return Tree(LOCKKEEPER_HERE).erase(node, header);
}
void lockkeeper_list_hook(ListNode* node, ListNode* before) noexcept {
    List(LOCKKEEPER_HERE).hook(node, before);
}
void lockkeeper_list_unhook(ListNode* node) noexcept { List(LOCKKEEPER_HERE).unhook(node); }
void lockkeeper_list_transfer(ListNode* before, ListNode* first, ListNode* end) noexcept {
    List(LOCKKEEPER_HERE).transfer(before, first, end);
}
void lockkeeper_list_reverse(ListNode* list) noexcept { List(LOCKKEEPER_HERE).reverse(list); }
void lockkeeper_list_swap(ListNode& one, ListNode& other) noexcept {
    List(LOCKKEEPER_HERE).swap(one, other);
}

}  // extern "C"
