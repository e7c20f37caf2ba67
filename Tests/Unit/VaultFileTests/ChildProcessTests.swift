import Foundation
import Testing
import VaultStore

@Suite("ChildProcess")
struct ChildProcessTests {
  /// Returns the descriptors that a program has, and that of its listing.
  private func descriptors() throws -> Set<String> {
    let pipe = try ChildPipe()
    let output = FileHandle(fileDescriptor: pipe.readEnd, closeOnDealloc: true)
    let child = try ChildProcess(
      ["ls", "/proc/self/fd"], at: "/bin/ls", output: .descriptor(pipe.writeEnd))
    close(pipe.writeEnd)
    let listed = try output.readToEnd() ?? Data()
    #expect(try child.end() == 0)
    return Set(String(decoding: listed, as: UTF8.self).split(separator: "\n").map(String.init))
  }

  @Test("a program gets its standard streams, and no other descriptor of the app that uses us")
  func standardStreams() throws {
    // Without close-on-exec, as the other end of somebody else's pipe may be.
    let other = fcntl(STDIN_FILENO, F_DUPFD, 200)
    defer { close(other) }
    #expect(try descriptors() == ["0", "1", "2", "3"])
  }
}
