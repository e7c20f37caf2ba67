import HTTPTesting
import Testing

/// All tests against real servers, in one suite so that they start once.
@Suite("Real servers", .servers) enum RealServers {}
