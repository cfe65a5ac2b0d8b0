// SPDX-License-Identifier: Apache-2.0
// The program that owns precompiled headers and does nothing.
int main() {
    return 0;
}
