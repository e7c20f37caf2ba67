import TLSCredentials

extension TrustProblem {
  /// The name in messages and documents: `wrong-host`.
  var name: String {
    rawValue.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
  }
}
