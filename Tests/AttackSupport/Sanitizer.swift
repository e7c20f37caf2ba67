import Foundation

/// Whether the tests run under a sanitizer, which makes each step many times slower, keeps copies of
/// memory, and maps terabytes of its own.
package enum Sanitizer {
  package static let isActive = ["__asan_init", "__tsan_init"].contains { (name: String) in
    // The program itself is searched; nothing is called.
    unsafe dlsym(dlopen(nil, RTLD_NOW), name) != nil
  }
}
