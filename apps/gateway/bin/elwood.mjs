#!/usr/bin/env node
// Placeholder replaced below
