# SPDX-License-Identifier: Apache-2.0
"""Tests of the counts of class_sizes.py, and of the violations that it reports."""
import unittest

import class_sizes

WINDOW = """
// class Comment { int m_a; };
enum class Colour { kRed, kBlue };
struct Plain { int a, b, c; };
class Window final : public Base<int, std::map<int, int>> {
    Q_OBJECT
  public:
    explicit Window(int width);
    Window(const Window&) = delete;
    ~Window() override;
    int width() const { return m_sizes.at({1, 2}); }
    std::function<void(int)> onChange;
    template <class T>
    void add(T value);
    static constexpr int kMax = 3;
    bool operator==(const Window&) const;

  signals:
    void moved(int by);

  private:
    class Inner {
        int m_inside = f(1);
    };
    enum { kOne };
    [[nodiscard]] std::map<int, std::vector<int>> sorted(const char* text = "a;b(") const;
    std::map<int, std::vector<int>> m_sizes;
    int m_first = 0, m_second{2}, m_third;
    const char* m_text = "{;";
    std::chrono::microseconds m_wait{200'000};
};
"""


class ClassSizes(unittest.TestCase):
    def test_members_and_methods_are_counted(self):
        # Methods: width, add, operator==, moved, sorted. Members: onChange, m_sizes, three in a line, m_text, m_wait.
        self.assertEqual(list(class_sizes.classes(WINDOW)), [("Window", 7, 5), ("Inner", 1, 0)])

    def test_a_class_above_a_limit_is_refused(self):
        many = "".join(f"    int m_{i} = 0;\n" for i in range(31))
        sizes = [("a.h", *one) for one in class_sizes.classes("class Large {\n" + many + "};")]
        self.assertEqual(list(class_sizes.complaints(sizes, {})),
                         ["a.h: Large has 31 members and 0 methods; at most 30 and 40"])
        self.assertEqual(list(class_sizes.complaints(sizes, {"Large": (31, 40, "a reason")})), [])

    def test_an_exception_that_is_not_needed_is_refused(self):
        found = list(class_sizes.complaints([("a.h", "Small", 30, 40)], {"Small": (50, 50, "a reason")}))
        self.assertEqual(found, ["EXCEPTIONS: Small is within the limits; remove it from the list"])


if __name__ == "__main__":
    unittest.main()
