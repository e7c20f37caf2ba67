import ProgramTesting

/// Whether the tests run under a sanitizer, which makes each step many times slower, keeps copies
/// of memory, and maps terabytes of its own.
package enum Sanitizer {
  package static let isActive = Project.isSanitized
}
