//! Tests of the tools through their public face. Never reaches beyond loopback and temporary folders.
