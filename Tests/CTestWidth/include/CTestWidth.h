#ifndef TEST_WIDTH_H
#define TEST_WIDTH_H

/// The number of test cases that run at the same time, as the testing library read it.
int test_width(void);

/// Removes the variable from the environment, so that programs that tests start do not inherit it.
/// The testing library has read it by then: it does so before it evaluates the traits of tests.
void test_width_forget(void);

#endif
