import Foundation
import Glibc
import TestTraits
import Testing

@Suite("ProcessHardening", .waiting)
struct ProcessHardeningTests {
  /// Starts the program, which waits for the rest of a request that holds a secret.
  private func waiting() throws -> (process: Process, input: Pipe, messages: Pipe) {
    let process = Process()
    let input = Pipe()
    let messages = Pipe()
    process.executableURL = ProgramFixture.program
    process.arguments = ["git-credential", "store"]
    process.standardInput = input
    process.standardError = messages
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("password=hunter2hunter2\n".utf8))
    // The program has set itself up before it reads, which empties the pipe.
    while process.isRunning, try unread(input) > 0 { usleep(1000) }
    return (process, input, messages)
  }

  /// The bytes in a pipe that nobody has read yet.
  private func unread(_ pipe: Pipe) throws -> Int32 {
    var count: Int32 = 0
    // The kernel writes one Int32 to the variable.
    let status = unsafe ioctl(pipe.fileHandleForWriting.fileDescriptor, UInt(FIONREAD), &count)
    try #require(status == 0)
    return count
  }

  private func status(of process: Process) -> [String: String] {
    guard
      let text = try? String(
        contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    else { return [:] }
    let lines = text.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1) }
    return Dictionary(
      lines.filter { $0.count == 2 }.map {
        (String($0[0]), $0[1].trimmingCharacters(in: .whitespaces))
      },
      uniquingKeysWith: { first, _ in first })
  }

  @Test(
    "a crash prints nothing",
    arguments: [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT])
  func crash(_ number: Int32) throws {
    let (process, input, messages) = try waiting()
    kill(process.processIdentifier, number)
    let end = Date(timeIntervalSinceNow: 120)
    while process.isRunning, Date() < end { usleep(1000) }
    guard !process.isRunning else {
      kill(process.processIdentifier, SIGKILL)
      Issue.record("the signal did not end the process")
      return
    }
    #expect(process.terminationReason == .uncaughtSignal)
    #expect(process.terminationStatus == number)
    #expect(try messages.fileHandleForReading.readToEnd() ?? Data() == Data())
    try input.fileHandleForWriting.close()
  }

  @Test("the process leaves no core, and handles only the signals before which it removes drafts")
  func limits() throws {
    let (process, input, _) = try waiting()
    defer { kill(process.processIdentifier, SIGKILL) }
    let folder = "/proc/\(process.processIdentifier)"
    let limits = try String(contentsOfFile: "\(folder)/limits", encoding: .utf8)
    let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
    #expect(core?.split(separator: " ").dropFirst(4).first == "0")
    // The bit of each signal that ends the process, from 1.
    let numbers = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU]
    let handled = numbers.reduce(Int32(0)) { $0 | 1 << ($1 - 1) }
    let caught = status(of: process)["SigCgt"] ?? ""
    #expect(Int32(caught, radix: 16) == handled, "\(caught)")
    try input.fileHandleForWriting.close()
  }

  @Test("descriptors that the caller closed are not given to files", arguments: [0, 1, 2])
  func closed(_ descriptor: Int) throws {
    let workplace = try ProgramFixture()
    let closing = descriptor == 0 ? "0<&-" : "\(descriptor)>&-"
    #expect(try workplace.run("vaultctl init \(closing)").status == (descriptor == 1 ? 74 : 0))
    let list = try workplace.run("vaultctl list \(closing)")
    #expect(list.status == 0)
    #expect(try workplace.run("vaultctl verify").status == 0)
  }
}
