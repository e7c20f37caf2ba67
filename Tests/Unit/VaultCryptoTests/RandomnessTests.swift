import CForkSupport
import Foundation
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

@Suite("Randomness")
struct RandomnessTests {
  /// Draws a few bytes of the stock.
  private static func draw() -> Int {
    var bytes = [UInt8](repeating: 0, count: 24)
    // The array lives through the call.
    unsafe bytes.withUnsafeMutableBytes { unsafe RandomStock.fill($0) }
    return bytes.count
  }

  @Test("two lives of one memory use no nonce twice for two plaintexts")
  func snapshot() async {
    // In a process of its own: the stock of random bytes belongs to all threads.
    await #expect(processExitsWith: .success) {
      let keys = EpochKeys.random()
      let file = KeyFile()
      let (item, another) = (ItemID(), ItemID())
      _ = Self.draw()
      let memory = RandomStock.stock.withLock { $0 }
      /// Returns the nonces of the first seals of a life after the snapshot.
      func live(_ seal: () throws -> [UInt8]) rethrows -> [UInt8] {
        RandomStock.stock.withLock { $0 = memory }
        return Array(try seal()[..<24])
      }
      let row = pattern(8000)
      var nonces: [[UInt8]] = []
      func lives(_ seals: [() -> [UInt8]]) {
        for seal in seals {
          let nonce = live(seal)
          // Equal state and equal content are equal: only the hash distinguishes lives.
          #expect(live(seal) == nonce)
          nonces.append(nonce)
        }
      }
      lives([
        { keys.seal(row, as: .bucket, id: 1) }, { keys.seal(row, as: .bucket, id: 2) },
        { keys.seal(row.flipped(at: 7999), as: .bucket, id: 1) },
        { keys.seal(row.flipped(at: 0), as: .bucket, id: 1) },
        { keys.seal(Array(row.dropLast()), as: .bucket, id: 1) },
        { keys.seal(Secret(row), id: 1) }, { keys.seal(row, as: .head, id: 0) },
        { keys.seal(Secret("one"), use: .secret, item: item) },
        { keys.seal(Secret("two"), use: .secret, item: item) },
        { keys.seal(Secret("one"), use: .previousSecret, item: item) },
        { keys.seal(Secret("one"), use: .secret, item: another) },
        { keys.seal(Secret(""), use: .secret, item: item) },
      ])
      #expect(Set(nonces).count == nonces.count)
      // A slot's key belongs to its salt; even with the same salt, another vault key gets another
      // nonce.
      let derived = try DerivedKey(.keyFile(file), cost: .minimum)
      let wraps = try [keys, .random()].map { keys in
        try live { try Slot(wrapping: keys, with: derived, id: 1, name: "").wrap }
      }
      #expect(wraps[0] != wraps[1])
    }
  }

  @Test("salts and ids do not come from the stock")
  func salts() async {
    await #expect(processExitsWith: .success) {
      _ = Self.draw()
      let memory = RandomStock.stock.withLock { $0 }
      let first = (VaultID(), Randomness.bytes(16))
      RandomStock.stock.withLock { $0 = memory }
      #expect(first.0 != VaultID() && first.1 != Randomness.bytes(16))
    }
  }

  @Test(
    "a child that is forked while a thread draws bytes draws its own, and waits for nobody",
    // A null handle stands for everything that is loaded.
    .disabled(
      if: unsafe dlsym(nil, "__tsan_init") != nil,
      "under TSan Swift locks at each use of a global, and a child may be born with that lock"))
  func forkedWhileDrawing() async {
    await #expect(processExitsWith: .success) {
      // Drawn before the fork: Swift's first-use initialization holds locks of its own.
      _ = Self.draw()
      let hasDrawn = Atomic(false)
      Thread.detachNewThread {
        while true {
          _ = Self.draw()
          hasDrawn.store(true, ordering: .relaxed)
        }
      }
      // The thread has also drawn.
      while !hasDrawn.load(ordering: .relaxed) { usleep(1000) }
      for _ in 0..<100 {
        let child = fork_by_library()
        if child == 0 {
          // A child that hangs fails the test instead of holding it up.
          end_after(120)
          _exit(Self.draw() == 24 ? 0 : 1)
        }
        var status: Int32 = 0
        // `status` is a local variable.
        guard child > 0, unsafe waitpid(child, &status, 0) == child else { exit(2) }
        guard status == 0 else { exit(3) }
      }
      exit(0)
    }
  }
}
