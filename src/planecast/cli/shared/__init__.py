"""What verbs share: options, output, progress, runs that resume. May import tables, no verb."""
