import Glibc
import URLSessionTesting

// Does one scenario with URLSession, and prints what it saw. Its words are the scenario, and after how many seconds it is
// given up, with status 97: nothing else ends a process whose sessions hang.
let words = CommandLine.arguments.dropFirst()
// The handler calls nothing but `_exit`, as a signal's may.
signal(SIGALRM) { _ in _exit(97) }
alarm(words.dropFirst().first.flatMap(UInt32.init) ?? 30)

let task = Task.detached { () -> (facts: [String], status: Int32) in
  do {
    if let scenario = words.first.flatMap(Scenario.init) { return (try await play(scenario), 0) }
    if let scenario = words.first.flatMap(StockScenario.init) {
      return (try await playStock(scenario), 0)
    }
    return (["no such scenario"], 64)
  } catch {
    return (["error: \(error)"], 1)
  }
}
let (facts, status) = await task.value
let bytes = Array(facts.map { $0 + "\n" }.joined().utf8)
// The array has as many bytes as are written.
_ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
// Not `exit`: threads of the servers and sessions still run.
_exit(status)
