"""Ids: who may take which REQ, BUG or LESSON number, and how a taken one is put right."""
