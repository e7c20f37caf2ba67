import Foundation
import ProgramTesting
import Testing

extension Sandbox {
  /// Builds a Swift package of `Examples`, as its reader would.
  ///
  /// - Returns: The program.
  func buildExample(_ name: String) throws -> String {
    let package = Project.root.appending(path: "Examples/\(name)").path
    let scratch = Project.root.appending(path: ".build/examples").path
    let build = try run(
      ["swift", "build", "--package-path", package, "--scratch-path", scratch], limit: 1200)
    try #require(build.status == 0, "\(build.output)\(build.errors)")
    return "\(scratch)/debug/\(name)"
  }
}
