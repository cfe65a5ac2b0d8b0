// SPDX-License-Identifier: Apache-2.0
// Program without tests, for which the precompiled headers are built.
int main() {
    return 0;
}
