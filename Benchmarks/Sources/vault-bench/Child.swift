import Glibc

/// A process with pipes on its standard input and output.
struct Child: ~Copyable {
  private let process: pid_t
  private var input: Int32
  private let output: Int32

  /// Starts a program by its path.
  init(_ path: String, _ arguments: [String]) throws {
    var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
    guard unsafe pipe(&toChild) == 0, unsafe pipe(&fromChild) == 0 else {
      throw Failure("no pipe: errno \(errno)")
    }
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    // argv ends in nil; its strings are freed below.
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let status = unsafe posix_spawn(&child, path, &actions, nil, &words, environ)
    guard status == 0 else { throw Failure("\(path) does not start: errno \(status)") }
    process = child
    close(toChild[0])
    close(fromChild[1])
    input = toChild[1]
    output = fromChild[0]
  }

  /// Asks for one more step and waits until it is done.
  func step() throws {
    var byte: UInt8 = 1
    let written = unsafe write(input, &byte, 1)
    guard written == 1, unsafe read(output, &byte, 1) == 1 else {
      throw Failure("the child has gone")
    }
  }

  /// Ends the child's input, reads what it still says, and waits for its end.
  consuming func finish() throws -> String { try end().output }

  /// Does the same, and tells the most memory that the child had at once, in KiB.
  ///
  /// That is no less than what this process has had before.
  private consuming func end() throws -> (output: String, peak: Int) {
    close(input)
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // The buffer has as many bytes as are read.
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(output, $0.baseAddress, $0.count)
      }
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    close(output)
    var status: Int32 = 0
    var usage = rusage()
    unsafe wait4(process, &status, 0, &usage)
    guard status == 0 else { throw Failure("a child ended with status \(status)") }
    return (String(decoding: text, as: UTF8.self), usage.ru_maxrss)
  }

  /// Runs a program to its end.
  static func run(_ path: String, _ arguments: [String], input: [UInt8] = []) throws -> String {
    let child = try Child(path, arguments)
    // A pipe holds what a question to a helper has.
    let count = unsafe input.isEmpty ? 0 : write(child.input, input, input.count)
    guard count == input.count else { throw Failure("\(path) reads no input") }
    return try child.finish()
  }

  /// Runs a program to its end, and tells the most memory that it had at once, in KiB.
  static func peakMemory(_ path: String, _ arguments: [String]) throws -> Int {
    try Child(path, arguments).end().peak
  }
}
